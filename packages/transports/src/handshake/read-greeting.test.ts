import { describe, expect, it } from "vitest";
import { createServerContext } from "../../test/server-context.ts";
import { readDiscovered, readInitialized } from "./shake-hands.ts";

const context = createServerContext();

describe("readInitialized()", () => {
  it("leaves out what is of the wrong type among the capabilities, and leaves the rest to be read as a claim", () => {
    const serverInfo = { name: "srv", version: 2 };
    const claimed = readInitialized(
      {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: "yes", extra: 1 }, prompts: true, logging: null, resources: [] },
        serverInfo,
        instructions: 7,
      },
      context,
    );
    expect(claimed).toEqual({
      era: "legacy",
      protocolVersion: "2025-11-25",
      implementation: serverInfo,
      instructions: 7,
      capabilities: { tools: { extra: 1 }, prompts: {} },
    });
  });

  it.each([
    { result: { capabilities: {} }, code: "handshake_failed", message: "it names no protocol revision" },
    { result: { protocolVersion: "2025-11-25" }, code: "handshake_failed", message: "it names no capabilities" },
    {
      result: { protocolVersion: "2026-07-28", capabilities: {} },
      code: "unsupported_protocol",
      message:
        "answered initialize with no revision of this host's (the server knows 2026-07-28; this host 2026-07-28,",
    },
  ])("throws $code when $message", ({ result, code, message }) => {
    expect(() => readInitialized(result, context)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

describe("readDiscovered()", () => {
  it("takes the name from _meta, where a modern server may give it", () => {
    const claimed = readDiscovered(
      {
        supportedVersions: ["2027-01-01", "2026-07-28", 7],
        capabilities: { tools: {} },
        instructions: "Ask.",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "srv" } },
      },
      context,
    );
    expect(claimed).toEqual({
      era: "modern",
      protocolVersion: "2026-07-28",
      implementation: { name: "srv" },
      instructions: "Ask.",
      capabilities: { tools: {} },
    });
  });

  it.each([
    { result: {}, code: "handshake_failed", details: {} },
    { result: { supportedVersions: ["2026-07-28"] }, code: "handshake_failed", details: {} },
    {
      result: { supportedVersions: ["2025-11-25"], capabilities: {} },
      code: "unsupported_protocol",
      details: { supported: ["2025-11-25"] },
    },
  ])("throws $code for $result", ({ result, code, details }) => {
    expect(() => readDiscovered(result, context)).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining(details) }),
    );
  });
});
