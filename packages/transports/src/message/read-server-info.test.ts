import { defaultLimits } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { readServerInfo } from "./read-server-info.ts";

const plain = {
  era: "legacy",
  protocolVersion: "2025-11-25",
  implementation: {},
  instructions: undefined,
  capabilities: {},
} as const;
const reading = {
  settings: { limits: defaultLimits },
  redact: (text: string) => text.replaceAll("hunter2", "[redacted]"),
};

describe("readServerInfo()", () => {
  it("keeps what a server says of itself, and leaves out what it does not say", () => {
    const implementation = { name: "srv", title: "Server", version: "1", description: "It serves.", extra: 1 };
    expect(readServerInfo({ ...plain, implementation, instructions: "Ask." }, reading)).toEqual({
      era: "legacy",
      protocolVersion: "2025-11-25",
      name: "srv",
      title: "Server",
      version: "1",
      description: "It serves.",
      instructions: "Ask.",
      capabilities: {},
    });
    expect(readServerInfo({ ...plain, implementation: undefined }, reading)).toEqual({
      era: "legacy",
      protocolVersion: "2025-11-25",
      capabilities: {},
    });
  });

  it("cuts and cleans (fault 94)", () => {
    const info = readServerInfo(
      {
        ...plain,
        implementation: { name: "n".repeat(1000), title: "a\u001B[31mb" },
        instructions: "i".repeat(5_000_000),
      },
      reading,
    );
    expect([info.name?.length, info.title, info.instructions?.length]).toEqual([256, "ab", 32_768]);
  });

  it("masks the secrets of its connection wherever they stand, one at the end that would be cut in two as well", () => {
    const info = readServerInfo(
      {
        ...plain,
        protocolVersion: "hunter2",
        implementation: {
          name: "hunter2",
          title: `${"x".repeat(250)}hunter2`,
          version: "hunter2",
          description: "hunter2",
        },
        instructions: "say hunter2",
        capabilities: { tools: {}, experimental: { hunter2: "hunter2" } },
      },
      reading,
    );
    expect(JSON.stringify(info)).not.toContain("hunt");
  });

  it("keeps of huge capabilities those that decide, and of a huge one its small members", () => {
    const huge = "y".repeat(100_000);
    const capabilities = {
      experimental: { x: huge, y: true },
      "x-huge": huge,
      "x-small": { a: 1 },
      extensions: { "io.modelcontextprotocol/tasks": {}, "com.example/huge": { huge } },
      prompts: { listChanged: true, note: huge },
      resources: { subscribe: true, listChanged: true, huge },
      tools: { listChanged: true },
      logging: {},
      __proto__: 1,
    };
    expect(readServerInfo({ ...plain, capabilities }, reading).capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
      experimental: { y: true },
    });
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, name) => [`tool-${name}`, true]));
    const cut = readServerInfo({ ...plain, capabilities: { tools: { listChanged: true, ...many }, ...many } }, reading);
    expect(cut.capabilities["tools"]).toMatchObject({ listChanged: true });
    expect(JSON.stringify(cut.capabilities).length).toBeLessThan(65_536);
  });

  it("keeps of huge capabilities what it needs", () => {
    const capabilities = { tools: { listChanged: true }, experimental: { x: "y".repeat(100_000) } };
    expect(readServerInfo({ ...plain, capabilities }, reading).capabilities).toEqual({
      tools: { listChanged: true },
      experimental: {},
    });
    expect(readServerInfo({ ...plain, capabilities: { tools: {} } }, reading).capabilities).toEqual({
      tools: {},
    });
  });
});
