import type { Admission, Admit, Diagnostic, ToolDefinition, ToolsChange } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

const byRemoteName =
  (decisions: Readonly<Record<string, Admission>>): Admit =>
  ({ origin }) =>
    decisions[origin?.toolName ?? ""] ?? "offer";

const names = (provider: McpProvider): readonly string[] => provider.tools().map(({ name }) => name);

function watch(provider: McpProvider): { readonly changes: ToolsChange[]; readonly diagnostics: Diagnostic[] } {
  const seen = { changes: [] as ToolsChange[], diagnostics: [] as Diagnostic[] };
  provider.onToolsChanged((change) => seen.changes.push(change));
  provider.onDiagnostic((diagnostic) => seen.diagnostics.push(diagnostic));
  return seen;
}

describe("a tool that is not admitted", () => {
  it("is as if it were not listed when it is hidden: not shown, not counted, not found, not called", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read", "drop");
    const provider = world.provider({ servers: [specOf("s")], admit: byRemoteName({ drop: "hide" }) });
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_read"]);
    expect(provider.groups()[0]?.members).toEqual(["mcp_s_read"]);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready", toolCount: 1 });
    expect(provider.tools(["mcp_s_drop", "MCP_S_DROP"])).toEqual([]);
    expect([provider.has("mcp_s_drop"), provider.has("MCP_S_DROP")]).toEqual([false, false]);
    expect(provider.quarantined()).toEqual([]);
    const error = await failureOf(provider.call("mcp_s_drop"));
    expect(error).toMatchObject({ code: "unknown_tool", outcome: "not-sent" });
    expect(server.received).toEqual([]);
    await provider.close();
  });

  it("is unknown by its qualified name when it is for apps alone, in quarantine or not", async () => {
    for (const admission of ["offer", "quarantine"] as const) {
      const world = createCalmWorld();
      world.server("s", "read").raw.push({ name: "app", inputSchema: {}, meta: { ui: { visibility: ["app"] } } });
      const provider = world.provider({ servers: [specOf("s")], admit: byRemoteName({ app: admission }) });
      await provider.init();
      expect(await failureOf(provider.call("mcp::s::app"))).toMatchObject({
        code: "unknown_tool",
        outcome: "not-sent",
      });
      await provider.close();
    }
  });

  it("is shown to the host alone when it is in quarantine, and a call says so", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read", "drop", "act");
    const provider = world.provider({
      servers: [specOf("s", { labels: { trust: "vendor" }, title: "Mine" })],
      admit: byRemoteName({ drop: "quarantine", act: "quarantine" }),
    });
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_read"]);
    expect(provider.has("mcp_s_drop")).toBe(false);
    expect(provider.quarantined().map(({ definition }) => definition.name)).toEqual(["mcp_s_act", "mcp_s_drop"]);
    expect(provider.quarantined()[1]).toMatchObject({
      definition: { origin: { serverId: "s", toolName: "drop" }, effect: "external" },
      server: { id: "s", labels: { trust: "vendor" }, title: "Mine" },
    });
    for (const name of ["mcp_s_drop", "Mcp_S_Drop"]) {
      expect(await failureOf(provider.call(name))).toMatchObject({
        code: "tool_quarantined",
        kind: "policy",
        retryable: false,
        outcome: "not-sent",
        serverId: "s",
        toolName: "drop",
      });
    }
    expect(server.received).toEqual([]);
    await provider.close();
    expect(provider.quarantined()).toEqual([]);
  });

  it("keeps its name, so that no other tool takes its place under it", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "drop");
    const provider = world.provider({ servers: [specOf("s")], admit: byRemoteName({ drop: "hide" }) });
    await provider.init();
    changeTools(server, (tools, version) => tools.set("Drop", version));
    await provider.refresh();
    expect(names(provider)).toEqual([expect.stringMatching(/^mcp_s_drop_[0-9a-f]{8}$/)]);
    expect(provider.has("mcp_s_drop")).toBe(false);
    await provider.close();
  });

  it("is refused when the decision falls while the call waits for its turn", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "slow");
    let decision: Admission = "offer";
    const provider = world.provider({
      servers: [specOf("s", { concurrency: "serial" })],
      admit: () => decision,
    });
    await provider.init();
    const release = world.hold("s");
    const first = provider.call("mcp_s_slow", { id: "1" });
    const second = failureOf(provider.call("mcp_s_slow", { id: "2" }));
    decision = "quarantine";
    provider.readmit();
    release();
    await first;
    expect(await second).toMatchObject({ code: "tool_quarantined", outcome: "not-sent" });
    expect(server.received).toHaveLength(1);
    await provider.close();
  });
});

describe("readmit()", () => {
  it("asks about every tool again without asking a server, and shows one change, in one event", async () => {
    const world = createCalmWorld();
    const servers = ["a", "b"].map((id) => world.server(id, "read", "write"));
    const approved = new Set<string>();
    const provider = world.provider({
      servers: [specOf("a"), specOf("b")],
      admit: ({ origin }) => (approved.has(origin?.toolName ?? "") ? "offer" : "quarantine"),
    });
    const seen = watch(provider);
    await provider.init();
    expect(names(provider)).toEqual([]);
    const held = provider.quarantined().map(({ definition }) => definition);
    const [before, listings] = [seen.changes.length, servers.map((server) => server.listings)];
    approved.add("read");
    provider.readmit();
    expect(names(provider)).toEqual(["mcp_a_read", "mcp_b_read"]);
    expect(seen.changes.slice(before)).toEqual([{ added: ["mcp_a_read", "mcp_b_read"], removed: [], changed: [] }]);
    // The very definition that the host looked at.
    expect(held).toContain(provider.tools()[0]);
    approved.clear();
    provider.readmit();
    expect(seen.changes.slice(before + 1)).toEqual([{ added: [], removed: ["mcp_a_read", "mcp_b_read"], changed: [] }]);
    expect(servers.map((server) => server.listings)).toEqual(listings);
    await provider.close();
    expect(() => provider.readmit()).toThrow(expect.objectContaining({ code: "closed" }));
  });

  it("changes nothing, and says nothing, while the answers are the same", async () => {
    const world = createCalmWorld();
    world.server("s", "a", "b");
    const provider = world.provider({ servers: [specOf("s")], admit: byRemoteName({ b: "hide" }) });
    const seen = watch(provider);
    await provider.init();
    const [definitions, groups, { revision }] = [provider.tools(), provider.groups(), provider];
    provider.readmit();
    expect(provider.tools()).toBe(definitions);
    expect(provider.groups()).toBe(groups);
    expect(provider.revision).toBe(revision);
    expect(seen.changes).toHaveLength(1);
    await provider.close();
  });
});

describe("admit", () => {
  it("is news for whoever merges providers, also where only what is held back is another", async () => {
    const world = createCalmWorld();
    world.server("s", "a", "b");
    const decisions: Record<string, Admission> = { a: "quarantine" };
    const provider = world.provider({
      servers: [specOf("s")],
      admit: ({ origin }) => decisions[origin?.toolName ?? ""] ?? "offer",
    });
    await provider.init();
    const held: string[][] = [];
    const changes: ToolsChange[] = [];
    provider.onToolsChanged((change) => changes.push(change));
    for (const decision of ["hide", "quarantine", "quarantine"] as const) {
      const { revision } = provider;
      decisions["a"] = decision;
      provider.readmit();
      held.push([
        ...provider.quarantined().map(({ definition }) => definition.name),
        `${provider.revision - revision}`,
      ]);
    }
    expect(held).toEqual([["1"], ["mcp_s_a", "1"], ["mcp_s_a", "0"]]);
    expect(changes).toEqual([]);
    await provider.close();
  });

  it("is asked with what there is to decide by, again for each listing that is new, and never with a call", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    const asked: [ToolDefinition, unknown][] = [];
    const spec = specOf("s", { labels: { scope: "project" }, tools: { a: { effect: "pure" } } });
    const provider = world.provider({
      servers: [spec],
      admit(tool, from) {
        asked.push([tool, from]);
        return "offer";
      },
    });
    await provider.init();
    expect(asked).toHaveLength(1);
    expect(asked[0]?.[0]).toBe(provider.tools()[0]);
    expect(asked[0]?.[0]).toMatchObject({
      name: "mcp_s_a",
      effect: "pure",
      fingerprint: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      origin: { serverId: "s", toolName: "a" },
    });
    expect(asked[0]?.[1]).toMatchObject({ id: "s", labels: { scope: "project" } });
    await provider.call("mcp_s_a");
    await provider.refresh();
    expect(asked).toHaveLength(1);
    changeTools(server, (tools, version) => tools.set("b", version));
    await provider.refresh();
    expect(asked.slice(1).map(([{ name }]) => name)).toEqual(["mcp_s_a", "mcp_s_b"]);
    await provider.updateServer({ ...spec, labels: { scope: "user" } });
    expect(asked.slice(3).map(([, from]) => from)).toMatchObject([
      { id: "s", labels: { scope: "user" } },
      { id: "s", labels: { scope: "user" } },
    ]);
    expect(server.connects.started).toBe(1);
    await provider.close();
  });

  it("decides by the fingerprint: a tool that is another one behind the same words is held back", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "keep");
    server.raw.push({ name: "pay", inputSchema: { type: "object" }, meta: { version: 1 } });
    const pins = new Map<string, string | undefined>();
    const provider = world.provider({
      servers: [specOf("s")],
      admit({ origin, fingerprint }) {
        const toolName = origin?.toolName ?? "";
        if (!pins.has(toolName)) pins.set(toolName, fingerprint);
        return pins.get(toolName) === fingerprint ? "offer" : "quarantine";
      },
    });
    await provider.init();
    const [, approved] = provider.tools();
    expect(approved?.name).toBe("mcp_s_pay");
    server.raw[0] = { name: "pay", inputSchema: { type: "object" }, meta: { version: 2 } };
    await provider.refresh();
    expect(names(provider)).toEqual(["mcp_s_keep"]);
    const drifted = provider.quarantined()[0]?.definition;
    expect(drifted).toEqual(approved);
    expect(drifted?.fingerprint).not.toBe(approved?.fingerprint);
    server.raw[0] = { name: "pay", inputSchema: { type: "object" }, meta: { version: 1 } };
    await provider.refresh();
    expect(names(provider)).toEqual(["mcp_s_keep", "mcp_s_pay"]);
    await provider.close();
  });

  it.each<[string, unknown, string]>([
    [
      "throws",
      () => {
        throw new RangeError("a secret of the product");
      },
      "threw RangeError",
    ],
    ["answers nothing", () => undefined, 'answered undefined, not "offer", "hide" or "quarantine"'],
    ["answers yes", () => true, 'answered true, not "offer", "hide" or "quarantine"'],
    ["answers a word that nobody knows", () => "allow", 'answered "allow", not "offer", "hide" or "quarantine"'],
    ["answers a promise", () => Promise.resolve("offer"), "answered a Promise, and has to answer at once"],
    ["answers a promise that rejects", () => Promise.reject(new Error("later")), "answered a Promise, and has to"],
  ])("costs a tool its place, with a diagnostic, and nobody else anything, when it %s", async (_, fail, problem) => {
    const world = createCalmWorld();
    world.server("s", "bad", "good");
    const provider = world.provider({
      servers: [specOf("s")],
      admit: (tool) => (tool.origin?.toolName === "bad" ? (fail as () => Admission)() : "offer"),
    });
    const { diagnostics } = watch(provider);
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_good"]);
    expect(provider.quarantined()).toEqual([]);
    expect(diagnostics).toEqual([
      {
        kind: "admission-failed",
        serverId: "s",
        toolName: "bad",
        message: expect.stringContaining(`"bad" is hidden, because admit() ${problem}`),
      },
    ]);
    await provider.close();
  });

  it("is reported once for each server whose tools it fails for", async () => {
    const world = createCalmWorld();
    world.server("a", "x", "y", "z");
    world.server("b", "x");
    const admit = (): Admission => {
      throw new TypeError("a secret of the product");
    };
    const provider = world.provider({ servers: [specOf("a"), specOf("b")], admit });
    const { diagnostics } = watch(provider);
    await provider.init();
    expect(diagnostics.map(({ message }) => message).sort()).toEqual([
      '"x" and 2 more of its tools are hidden, because admit() threw TypeError',
      '"x" is hidden, because admit() threw TypeError',
    ]);
    await provider.close();
  });

  it("may read the provider, and is refused what would ask it again", async () => {
    const world = createCalmWorld();
    world.server("s", "a");
    const refused: unknown[] = [];
    const provider: McpProvider = world.provider({
      servers: [specOf("s")],
      admit() {
        expect(provider.tools()).toEqual([]);
        try {
          provider.readmit();
        } catch (error) {
          refused.push(error);
        }
        return "offer";
      },
    });
    await provider.init();
    expect(names(provider)).toEqual(["mcp_s_a"]);
    expect(String(refused)).toContain("must not change the servers or ask for admission again");
    await provider.close();
  });

  it("must be a function", () => {
    const world = createCalmWorld();
    expect(() => world.provider({ admit: "offer" as never })).toThrow(new TypeError("admit must be a function"));
  });
});
