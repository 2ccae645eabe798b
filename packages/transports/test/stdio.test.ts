import { fixtureServer, type StdioFixture } from "@toolport/fixtures";
import type { Diagnostic } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { connect } from "../src/index.ts";

describe("connect() over stdio", () => {
  it.each<[StdioFixture, string, string]>([
    ["legacy-stdio", "legacy", "2025-11-25"],
    ["modern-stdio", "modern", "2026-07-28"],
    ["modern-only-stdio", "modern", "2026-07-28"],
    ["errors-on-unknown", "legacy", "2024-11-05"],
    ["silent-before-initialize", "legacy", "2024-11-05"],
    ["exits-on-unknown", "legacy", "2024-11-05"],
  ])("lists and calls %s", async (name, era, protocolVersion) => {
    const diagnostics: Diagnostic[] = [];
    const connection = await connect(
      { id: name, transport: { kind: "stdio", ...fixtureServer(name) }, timeouts: { probeMs: 500 } },
      { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) },
    );
    try {
      expect(connection.server).toMatchObject({ era, protocolVersion });
      const { tools } = await connection.listTools();
      expect(tools.map((tool) => tool.name)).toContain("echo");
      const result = await connection.callTool("echo", { text: "hi" });
      expect(result["content"]).toEqual([{ type: "text", text: "hi" }]);
    } finally {
      await connection.close();
    }
  });
});
