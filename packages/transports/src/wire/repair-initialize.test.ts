import { describe, expect, it } from "vitest";
import { repairInitialize } from "./repair-initialize.ts";

describe("repairInitialize()", () => {
  it("leaves out what is of the wrong type, and fills in what the SDK insists on", () => {
    const { result } = repairInitialize({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: "yes", extra: 1 }, prompts: true, logging: null, resources: [] },
      serverInfo: { name: "srv", version: 2, title: 3, websiteUrl: "not a url" },
      instructions: 7,
      extra: true,
    });
    expect(result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { extra: 1 }, prompts: {} },
      serverInfo: { name: "srv", version: "" },
    });
  });

  it("keeps what is right", () => {
    const good = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "srv", version: "1", title: "Server", description: "It serves." },
      instructions: "Ask.",
    };
    expect(repairInitialize(good).result).toEqual(good);
  });

  it.each([
    { result: { capabilities: {} }, fault: "it names no protocol revision" },
    { result: { protocolVersion: "2025-11-25" }, fault: "it names no capabilities" },
  ])("does without neither revision nor capabilities: $fault", ({ result, fault }) => {
    expect(repairInitialize(result)).toEqual({ fault });
  });
});
