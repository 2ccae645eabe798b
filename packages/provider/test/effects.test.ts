import type { Diagnostic, ToolDefinition } from "@hostside/core";
import { hashJson } from "@hostside/naming";
import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

const inputSchema = { type: "object" };
const hinted = (name: string, annotations: ToolDefinition["annotations"] = {}) => ({ name, inputSchema, annotations });

describe("what the host says of a tool", () => {
  it("stands in its definition in place of the server's words, and nothing else changes", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "echo");
    server.raw.push({
      name: "pay",
      title: "Free of charge",
      description: "Changes nothing.",
      inputSchema,
      annotations: { readOnlyHint: true },
    });
    const spec = specOf("s");
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    const [echo, pay] = provider.tools();
    expect(pay).toMatchObject({ title: "Free of charge", effect: "external" });
    expect(pay).not.toHaveProperty("requireApproval");
    const overrides = {
      pay: { effect: "non-idempotent-write", requireApproval: true, title: "Pay", description: "Pays a bill." },
    } as const;
    const changes: unknown[] = [];
    provider.onToolsChanged((change) => changes.push(change));
    await provider.updateServer({ ...spec, tools: overrides });
    expect(provider.tools()[0]).toBe(echo);
    const now = provider.tools()[1];
    expect(now).toEqual({
      ...pay,
      title: "Pay",
      description: "MCP server `s` tool `pay`. Title: Pay. Pays a bill.",
      effect: "non-idempotent-write",
      requireApproval: true,
    });
    // Of what the server says, not of what the host does.
    expect(now?.fingerprint).toBe(pay?.fingerprint);
    expect(changes).toEqual([{ added: [], removed: [], changed: ["mcp_s_pay"] }]);
    expect([server.connects.started, server.listings]).toEqual([1, 1]);
    await provider.close();
  });

  it("is a diagnostic where the server lists no such tool, byte for byte", async () => {
    const world = createCalmWorld();
    world.server("s", "pay", "constructor");
    const provider = world.provider({ servers: [specOf("s", { tools: { Pay: { effect: "pure" }, pay: {} } })] });
    const diagnostics: Diagnostic[] = [];
    provider.onDiagnostic((diagnostic) => diagnostics.push(diagnostic));
    await provider.init();
    await provider.refresh();
    expect(provider.tools().map(({ effect }) => effect)).toEqual(["external", "external"]);
    expect(diagnostics).toEqual([
      {
        kind: "unmatched-override",
        serverId: "s",
        toolName: "Pay",
        message: 'tools of server "s" has "Pay", and the server lists no such tool',
      },
    ]);
    await provider.close();
  });
});

describe("a server's hints", () => {
  it("count only where the host trusts the server, and trust restarts nothing", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "unhinted");
    server.raw.push(
      hinted("read", { readOnlyHint: true }),
      hinted("put", { idempotentHint: true }),
      hinted("add", { openWorldHint: false }),
    );
    const spec = specOf("s");
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    const effects = (): unknown =>
      Object.fromEntries(provider.tools().map(({ origin, effect }) => [origin?.toolName, effect]));
    expect(effects()).toEqual({ add: "external", put: "external", read: "external", unhinted: "external" });
    await provider.updateServer({ ...spec, trustAnnotations: true, labels: { trust: "vendor" } });
    expect(effects()).toEqual({
      add: "non-idempotent-write",
      put: "idempotent-write",
      read: "pure",
      unhinted: "external",
    });
    expect([server.connects.started, server.listings]).toEqual([1, 1]);
    await provider.close();
  });
});

describe("a definition", () => {
  it("has a fingerprint that is not listed with its members, and stays out of comparisons and copies", async () => {
    const world = createCalmWorld();
    world.server("s", "echo");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const [definition] = provider.tools();
    expect(Object.keys(definition ?? {})).not.toContain("fingerprint");
    expect(JSON.stringify(definition)).not.toContain("sha256-");
    expect(definition?.fingerprint).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(definition?.fingerprint).toBe(definition?.fingerprint);
    // One that was stored, with or without it, is still the one that was selected.
    for (const selected of [
      JSON.parse(JSON.stringify(definition)) as ToolDefinition,
      { ...(definition as ToolDefinition), fingerprint: definition?.fingerprint, entry: definition?.entry },
    ]) {
      await provider.call("mcp_s_echo", {}, { selected });
    }
    await provider.close();
  });

  it("has the entry that its server listed, of which the fingerprint is made", async () => {
    const world = createCalmWorld();
    const entry = {
      name: "pay",
      description: "Pays.",
      inputSchema: { type: "object" },
      _meta: { ui: { color: "red" } },
    };
    world.server("s").raw.push({
      name: "pay",
      description: "Pays.",
      inputSchema: { type: "object" },
      meta: { ui: { color: "red" } },
      extras: { icons: [{ src: "x" }] },
    });
    world.server("s").raw.push({ name: "huge", inputSchema: { type: "object" }, flags: ["extras-dropped"] });
    const spec = specOf("s", { tools: { pay: { title: "Pay", description: "Pays somebody." } } });
    const provider = world.provider({ servers: [spec] });
    await provider.init();
    const [, huge, pay] = provider.tools();
    expect(pay?.entry).toEqual({ ...entry, icons: [{ src: "x" }] });
    expect(hashJson(pay?.entry ?? {})).toBe(pay?.fingerprint);
    expect(Object.keys(pay ?? {})).not.toContain("entry");
    expect(Object.isFrozen(pay?.entry?.["_meta"])).toBe(true);
    expect([huge?.fingerprint, huge?.entry]).toEqual([undefined, undefined]);
    await provider.close();
  });
});
