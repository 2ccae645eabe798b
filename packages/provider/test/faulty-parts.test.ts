import type { Connector, Diagnostic } from "@hostside/core";
import { hostsideNaming } from "@hostside/naming";
import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

function throws(): never {
  throw new Error("a defect of the product");
}

function watch(provider: McpProvider): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
  return diagnostics;
}

describe("a description function that fails on what a server listed", () => {
  it.each<[string, () => string]>([
    ["throws", throws],
    ["returns nothing", () => undefined as unknown as string],
  ])("costs that tool its description, with a diagnostic, and nobody else anything: it %s", async (_, fail) => {
    const world = createCalmWorld();
    world.server("s", "bad", "good");
    const provider = world.provider({
      servers: [specOf("s")],
      description: ({ name }) => (name === "bad" ? fail() : `about ${name}`),
    });
    const diagnostics = watch(provider);
    await provider.init();
    await provider.refresh();
    expect(provider.tools().map(({ description }) => description)).toEqual([
      "MCP server `s` tool `bad`. version 1",
      "about good",
    ]);
    expect(diagnostics).toEqual([
      {
        kind: "description-failed",
        serverId: "s",
        toolName: "bad",
        message: 'the description function failed for "bad"; the default description is used',
      },
    ]);
    await provider.close();
  });
});

describe("a naming strategy that fails on what a server listed", () => {
  it("costs that tool its own kind of name, and nobody else anything", async () => {
    const world = createCalmWorld();
    world.server("s", "bad", "good");
    const sanitize = (part: string): string => (part === "bad" ? throws() : hostsideNaming.sanitize(part));
    const provider = world.provider({ servers: [specOf("s")], naming: { ...hostsideNaming, sanitize } });
    await provider.init();
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_s_bad", "mcp_s_good"]);
    await provider.close();
  });

  it("says when no catalogue could be made, and keeps the last good one", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    let fails = false;
    const legal = new RegExp(hostsideNaming.legal);
    legal.test = (name) => (fails ? throws() : hostsideNaming.legal.test(name));
    const provider = world.provider({ servers: [specOf("s")], naming: { ...hostsideNaming, legal } });
    const diagnostics = watch(provider);
    await provider.init();
    const before = provider.tools();
    fails = true;
    changeTools(server, (tools, version) => tools.set("b", version));
    await provider.refresh();
    expect(provider.tools()).toBe(before);
    expect(diagnostics).toMatchObject([{ kind: "defect", serverId: "s" }]);
    fails = false;
    await provider.refresh();
    expect(provider.tools()).toHaveLength(2);
    await provider.close();
  });
});

describe("a faulty handler or connector", () => {
  it("fails with internal_error when a connector answers with no connection or no listing", async () => {
    const world = createCalmWorld();
    const none: Connector = { connect: async () => undefined as never };
    const empty: Connector = {
      connect: async () =>
        ({ server: world.info("s"), listTools: async () => ({}), callTool() {}, close() {} }) as never,
    };
    for (const connector of [none, empty]) {
      const provider = world.provider({ servers: [specOf("s")], connector, backoff: { background: false } });
      await provider.init();
      expect(provider.statuses()).toMatchObject([{ state: "failed", error: { code: "internal_error" } }]);
      await provider.close();
    }
    expect(world.clock.pending).toBe(0);
  });

  it("declines a question whose handler throws at once, and lets the clocks go on", async () => {
    const world = createCalmWorld();
    world.server("s", "a").faults.call.push("ask-human");
    const provider = world.provider({ servers: [specOf("s", { concurrency: "serial" })], onElicit: throws });
    await provider.init();
    const asking = failureOf(provider.call("mcp_s_a", { id: "1" }, { timeoutMs: 1000 }));
    expect(await asking).toBeInstanceOf(Error);
    expect(await provider.call("mcp_s_a", { id: "2" })).toMatchObject({ isError: false });
    await provider.close();
  });
});
