import type { Diagnostic } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

describe("reservedNames", () => {
  it("are given to no tool, in any case of their letters; who would have one gets a hash, and a diagnostic says so", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "run", "walk");
    const provider = world.provider({ servers: [specOf("s")], reservedNames: ["MCP_S_Run", "tools_search"] });
    const diagnostics: Diagnostic[] = [];
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    const [run, walk] = provider.tools().map(({ name }) => name);
    expect(run).toMatch(/^mcp_s_run_[0-9a-f]{8}$/);
    expect(walk).toBe("mcp_s_walk");
    expect(provider.has("mcp_s_run")).toBe(false);
    expect(diagnostics).toEqual([
      { kind: "name-collision", serverId: "s", toolName: "run", message: '"mcp_s_run" is a reserved name' },
    ]);
    await provider.call(run ?? "", { id: "1" });
    expect(server.received.map(({ toolName }) => toolName)).toEqual(["run"]);
    await provider.close();
  });

  it("are not brought back by names that were saved", async () => {
    const world = createCalmWorld();
    world.server("s", "run", "walk");
    const before = world.provider({ servers: [specOf("s")] });
    await before.init();
    const savedNames: unknown = JSON.parse(JSON.stringify(before.savedNames()));
    await before.close();
    const after = world.provider({ servers: [specOf("s")], savedNames, reservedNames: ["mcp_s_run"] });
    await after.init();
    expect(after.tools().map(({ name }) => name)).toEqual([
      expect.stringMatching(/^mcp_s_run_[0-9a-f]{8}$/),
      "mcp_s_walk",
    ]);
    await after.close();
  });

  it.each([
    ["a text", "run"],
    ["an empty name", [""]],
    ["a number", [1]],
  ])("refuse %s", (_, reservedNames) => {
    const world = createCalmWorld();
    expect(() => world.provider({ reservedNames: reservedNames as never })).toThrow(
      new TypeError("reservedNames must be an array of texts that are not empty"),
    );
  });
});
