import type { Diagnostic, ServerInfo, ServerSpec, ToolListing } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import type { McpProvider, ProviderOptions, SavedCatalog } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

const minute = 60_000;
const http = (url: string, rest: object = {}): ServerSpec => ({ id: "a", type: "http", url, ...rest });

/** Spoils a listing: it has one tool, with these members. */
const having = (members: object) => (listing: Record<string, unknown>) =>
  void (listing["tools"] = [{ name: "x", inputSchema: {}, ...members }]);

describe("a saved catalogue", () => {
  it("is on show at once, marked stale, and nothing is sent before the first call", async () => {
    const world = createCalmWorld();
    const { saved, names } = await save(world, [specOf("a"), specOf("b")]);
    const provider = world.provider({ servers: [specOf("a"), specOf("b")], savedCatalog: saved, savedNames: names });
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_a_echo", "mcp_b_echo"]);
    expect(provider.groups()).toHaveLength(2);
    await provider.init();
    expect(provider.statuses()).toMatchObject([
      { id: "a", state: "idle", stale: true, toolCount: 1, server: { name: "a" } },
      { id: "b", state: "idle", stale: true },
    ]);
    expect(provider.unreadyGroups?.()).toEqual([]);
    const before = starts(world);
    await provider.call("mcp_a_echo", { id: "1" });
    expect([before, starts(world)]).toEqual([
      { a: 1, b: 1 },
      { a: 2, b: 1 },
    ]);
    expect(provider.statuses()).toMatchObject([{ state: "ready", stale: false }, { state: "idle" }]);
    expect(world.server("a").ledger.get("1")).toBe(1);
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("is what it was after JSON, and after a provider that asked nobody", async () => {
    const world = createCalmWorld();
    world.server("a").raw.push({
      name: "odd",
      inputSchema: { type: "object" },
      // As of an entry without a schema.
      extras: { inputSchema: undefined, icons: [] },
      annotations: { readOnlyHint: true },
      meta: { ui: {} },
      flags: ["schema-replaced"],
    });
    const { saved, provider: first } = await save(world, [specOf("a")]);
    const second = world.provider({ servers: [specOf("a")], savedCatalog: saved });
    expect(second.savedCatalog()).toEqual(saved);
    expect(second.tools()).toEqual(first.map(({ definition }) => definition));
    expect(second.tools().map(({ fingerprint }) => fingerprint)).toEqual(first.map(({ fingerprint }) => fingerprint));
    await second.close();
  });

  it("says what is another, like any change, and refuses what was selected from it", async () => {
    const world = createCalmWorld();
    world.server("a", "stays", "changes", "goes");
    const { saved } = await save(world, [specOf("a")]);
    changeTools(world.server("a"), (tools, version) => {
      tools.set("changes", version).set("comes", version);
      tools.delete("goes");
    });
    const provider = world.provider({ servers: [specOf("a")], savedCatalog: saved });
    const changes: unknown[] = [];
    provider.onToolsChanged((change) => void changes.push(change));
    const select = (tool: string) => {
      const [selected] = provider.tools([`mcp_a_${tool}`]);
      return { selected };
    };
    const calls = ["changes", "goes", "stays"].map((tool) =>
      provider.call(`mcp_a_${tool}`, { id: tool }, select(tool)),
    );
    const unselected = failureOf(provider.call("mcp_a_goes", {}));
    await expect(calls[0]).rejects.toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    await expect(calls[1]).rejects.toMatchObject({ code: "tool_removed", outcome: "not-sent" });
    await expect(calls[2]).resolves.toMatchObject({ isError: false });
    expect(await unselected).toMatchObject({ code: "tool_removed" });
    expect(changes).toMatchObject([{ added: ["mcp_a_comes"], removed: ["mcp_a_goes"], changed: ["mcp_a_changes"] }]);
    expect(Array.from(world.server("a").ledger)).toEqual([["stays", 1]]);
    await provider.close();
  });

  it("is waited for where a server is required, and looked at in the background where that is said", async () => {
    const world = createCalmWorld();
    const specs = [
      specOf("a", { required: true }),
      specOf("b", { startup: "background" }),
      specOf("c", { startup: "call" }),
    ];
    const { saved } = await save(world, specs);
    const provider = world.provider({ servers: specs, savedCatalog: saved });
    await provider.init();
    await world.settle();
    expect(provider.statuses()).toMatchObject([
      { state: "ready" },
      { state: "ready", stale: false },
      { state: "idle" },
    ]);
    await provider.refresh();
    expect(provider.statuses()[2]).toMatchObject({ state: "ready", stale: false });
    await provider.close();
  });

  it("is not enough for a tool which is not in it", async () => {
    const world = createCalmWorld();
    const { saved: savedCatalog } = await save(world, [specOf("a")]);
    changeTools(world.server("a"), (tools, version) => void tools.set("new", version));
    await using provider = world.provider({ servers: [specOf("a")], savedCatalog });
    await provider.init({ retryFailed: false, toolName: "mcp_a_new" });
    expect(provider.has("mcp_a_new")).toBe(true);
  });

  it("obeys filters, admission and the host's words of today", async () => {
    const world = createCalmWorld();
    world.server("a", "one", "two", "three");
    const { saved } = await save(world, [specOf("a", { allow: ["one", "two", "three"] })]);
    const provider = world.provider({
      servers: [specOf("a", { deny: ["two"], tools: { one: { effect: "pure", title: "One" } } })],
      savedCatalog: saved,
      admit: ({ origin }) => (origin?.toolName === "three" ? "quarantine" : "offer"),
    });
    expect(provider.tools()).toMatchObject([{ name: "mcp_a_one", effect: "pure", title: "One" }]);
    expect(provider.quarantined()).toHaveLength(1);
    await provider.close();
  });

  it("gives way to a listing of today, even if that is cut short", async () => {
    const world = createCalmWorld();
    world.server("a", "one", "two");
    const { saved } = await save(world, [specOf("a")]);
    world.server("a").faults.list.push("truncate");
    const provider = world.provider({ servers: [specOf("a")], savedCatalog: saved });
    expect(await failureOf(provider.call("mcp_a_two", {}))).toMatchObject({ code: "tool_removed" });
    expect(provider.statuses()).toMatchObject([{ degraded: "page-limit", toolCount: 1 }]);
    await provider.close();
  });
});

describe("a saved catalogue leaves out", () => {
  it.each<[string, ServerSpec, ServerSpec]>([
    ["a server at another address", http("https://one.example.com/mcp"), http("https://two.example.com/mcp")],
    ["one with other tools by its address", http("https://e.com/mcp?toolset=a"), http("https://e.com/mcp?toolset=b")],
    ["one that has credentials now", http("https://e.com/mcp"), http("https://e.com/mcp", { bearerToken: "secret" })],
    ["one of another era", http("https://e.com/mcp"), { ...http("https://e.com/mcp"), era: "legacy" }],
    ["another program", stdio(["one"]), stdio(["two"])],
    ["one that is disabled", http("https://e.com/mcp"), { ...http("https://e.com/mcp"), disabled: true }],
  ])("%s", async (_what, before, now) => {
    const world = createCalmWorld();
    const { saved } = await save(world, [before]);
    const provider = world.provider({ servers: [now], savedCatalog: saved });
    expect(provider.tools()).toEqual([]);
    await provider.close();
  });

  it.each<[string, ServerSpec, ServerSpec]>([
    [
      "the credentials",
      http("https://e.com/mcp", { bearerToken: "a" }),
      http("https://e.com/mcp", { bearerToken: "b" }),
    ],
    [
      "the title and the timeouts",
      http("https://e.com/mcp"),
      { ...http("https://e.com/mcp"), title: "A", timeouts: { callMs: 1 } },
    ],
    ["what is secret in arguments", stdio(["x", "--token", "one"]), stdio(["x", "--token", "two"])],
  ])("nothing where no more than %s changed, and holds nothing that was made of them", async (_what, before, now) => {
    const world = createCalmWorld();
    const { saved } = await save(world, [before]);
    const provider = world.provider({ servers: [now], savedCatalog: saved });
    expect(provider.tools()).toHaveLength(1);
    expect(provider.savedCatalog()).toEqual(saved);
    await provider.close();
  });

  it("what is another principal's, unless its server says that it is everybody's", async () => {
    for (const cacheScope of ["private", "public"] as const) {
      const world = createCalmWorld();
      const { saved } = await save(world, [specOf("a")], {
        principal: "alice",
        connector: listingWith(world, { cacheScope }),
      });
      const shown = (principal?: string) =>
        world.provider({ servers: [specOf("a")], savedCatalog: saved, principal }).tools().length;
      const others = cacheScope === "public" ? 1 : 0;
      expect([shown("alice"), shown("bob"), shown()]).toEqual([1, others, others]);
      expect(JSON.stringify(saved)).not.toContain("alice");
    }
  });

  it("a server that lists the credentials which it was given", async () => {
    const world = createCalmWorld();
    world.server("a").raw.push({ name: "leak", description: "Use Bearer s3cr3t-t0ken-value", inputSchema: {} });
    const { saved } = await save(world, [http("https://e.com/mcp", { bearerToken: "s3cr3t-t0ken-value" })]);
    expect(saved.servers).toEqual([]);
  });

  it.each<[string, (listing: Record<string, unknown>) => void, string]>([
    ["tools that are none", (l) => (l["tools"] = "all"), "not what savedCatalog() returned"],
    ["a tool that is none", (l) => (l["tools"] = [7]), "not what"],
    ["a name twice", (l) => (l["tools"] = [1, 2].map(() => ({ name: "x", inputSchema: {} }))), "not what"],
    ["a description that is none", having({ description: 7 }), "not what"],
    ["a title that is none", having({ annotations: { title: {} } }), "not what"],
    ["flags of no meaning", having({ flags: "good" }), "not what"],
    ["instructions that are none", (l) => Object.assign(l["server"] as object, { instructions: 7 }), "not what"],
    ["a server's name that is none", (l) => Object.assign(l["server"] as object, { name: {} }), "not what"],
    ["a tool without a name", (l) => (l["tools"] = [{ inputSchema: {} }]), "not what"],
    ["a schema that is none", (l) => (l["tools"] = [{ name: "x", inputSchema: [] }]), "not what"],
    ["a schema as deep as a stack", (l) => (l["tools"] = [{ name: "x", inputSchema: nested(50_000) }]), "not used"],
    ["more than a listing may have", (l) => (l["more"] = "x".repeat(68_000_000)), "larger than a listing may be"],
    ["no date", (l) => (l["listedAt"] = "today"), "not what"],
    ["no server", (l) => (l["server"] = null), "not what"],
    ["a circle", (l) => (l["tools"] = [l]), "not used"],
  ])("a listing with %s, which costs no other server's", async (_what, spoil, why) => {
    const world = createCalmWorld();
    const { saved } = await save(world, [specOf("a"), specOf("b")]);
    const spoilt = structuredClone(saved) as { servers: Record<string, unknown>[] } & SavedCatalog;
    if (spoilt.servers[0] !== undefined) spoil(spoilt.servers[0]);
    const provider = world.provider({ servers: [specOf("a"), specOf("b")], savedCatalog: spoilt });
    const said: Diagnostic[] = [];
    provider.onDiagnostic((diagnostic) => void said.push(diagnostic));
    expect(provider.tools().map(({ name }) => name)).toEqual(["mcp_b_echo"]);
    await world.settle();
    expect(said).toMatchObject([{ kind: "not-kept", serverId: "a", message: expect.stringContaining(why) }]);
    await provider.init();
    expect(provider.tools()).toHaveLength(2);
    await provider.close();
  });

  it.each([
    ["an array", [], "not an object"],
    ["null", null, "not an object"],
    ["a text", "{}", "not an object"],
    ["no version", {}, "not of format 1"],
    ["a later version", { version: 2, servers: [] }, "not of format 1"],
    ["an unknown format", { version: 0, servers: [] }, "not of format 1"],
    ["no servers", { version: 1 }, "servers is not an array of listings"],
    ["a listing of nobody's", { version: 1, servers: [{}] }, "servers is not an array of listings"],
  ])("no whole catalogue that is none: %s", (_what, saved, why) => {
    const world = createCalmWorld();
    const make = () => world.provider({ servers: [specOf("a")], savedCatalog: saved });
    expect(make).toThrow(expect.objectContaining({ code: "invalid_catalog", message: expect.stringContaining(why) }));
    expect(world.clock.pending).toBe(0);
  });
});

describe("a listing that holds by its server's word", () => {
  const modern = { era: "modern", protocolVersion: "2026-07-28", capabilities: { tools: {} } } as const;

  it("spares the first call the listing, and is told to the connector, until its time is over", async () => {
    const world = createCalmWorld();
    const known: unknown[] = [];
    const connector = listingWith(world, { ttlMs: minute }, { server: modern, known });
    const { saved } = await save(world, [specOf("a")], { connector });
    const provider = world.provider({ servers: [specOf("a")], savedCatalog: saved, connector });
    await provider.call("mcp_a_echo", { id: "1" });
    expect([world.server("a").listings, provider.statuses()[0]?.stale]).toEqual([1, false]);
    expect(known).toMatchObject([undefined, { server: { era: "modern" }, tools: [{ name: "echo" }] }]);
    expect(provider.savedCatalog()).toEqual(saved);
    world.clock.advance(minute + 1);
    expect(provider.statuses()[0]?.stale).toBe(true);
    await provider.call("mcp_a_echo", { id: "2" });
    expect(world.server("a").listings).toBe(2);
    expect(provider.savedCatalog().servers[0]?.listedAt).toBeGreaterThan(saved.servers[0]?.listedAt ?? 0);
    await provider.close();
  });

  it.each<[string, { readonly laterMs?: number; readonly server?: Partial<ServerInfo>; readonly refresh?: boolean }]>([
    ["its time is over", { laterMs: minute + 1 }],
    ["the clock went back", { laterMs: -1 }],
    ["the server is of another version", { server: { version: "2" } }],
    ["the server is of earlier revisions now", { server: { era: "legacy", protocolVersion: "2025-11-25" } }],
    ["a refresh is wanted as well", { refresh: true }],
  ])("is looked at first when %s", async (_what, { laterMs = 0, server = {}, refresh = false }) => {
    const world = createCalmWorld();
    let date = 1_000_000_000_000;
    useTestClock({ ...world.clock, date: () => date });
    const { saved } = await save(world, [specOf("a")], {
      connector: listingWith(world, { ttlMs: minute }, { server: modern }),
    });
    date += laterMs;
    const connector = listingWith(world, { ttlMs: minute }, { server: { ...modern, ...server } });
    const provider = world.provider({ servers: [specOf("a")], savedCatalog: saved, connector });
    const call = provider.call("mcp_a_echo", {});
    if (refresh) await provider.refresh();
    await call;
    expect(world.server("a").listings).toBe(2);
    await provider.close();
  });

  it("is looked at first with other credentials, and after signing out", async () => {
    for (const change of ["credentials", "clear"] as const) {
      const world = createCalmWorld();
      const spec = http("https://e.com/mcp", { bearerToken: "one" });
      const connector = listingWith(world, { ttlMs: minute }, { server: modern });
      const { saved } = await save(world, [spec], { connector });
      const provider = world.provider({ servers: [spec], savedCatalog: saved, connector });
      if (change === "clear") await provider.clearCredentials("a");
      else await provider.updateServer(http("https://e.com/mcp", { bearerToken: "two" }));
      await provider.call("mcp_a_echo", {});
      expect(world.server("a").listings).toBe(2);
      await provider.close();
    }
  });

  it("is listed again after its time, at most each half minute, whether or not the server announces changes", async () => {
    for (const listChanged of [false, true]) {
      const world = createCalmWorld();
      const server = { ...modern, capabilities: { tools: { listChanged } } };
      const provider = world.provider({
        servers: [specOf("a")],
        connector: listingWith(world, { ttlMs: 1 }, { server }),
      });
      await provider.init();
      await provider.call("mcp_a_echo", {});
      world.clock.advance(20_000);
      await provider.call("mcp_a_echo", {});
      expect(world.server("a").listings).toBe(1);
      world.clock.advance(20_000);
      await provider.call("mcp_a_echo", {});
      expect(world.server("a").listings).toBe(2);
      await provider.close();
    }
  });
});

interface Saved {
  readonly saved: SavedCatalog;
  readonly names: unknown;
  readonly provider: readonly { readonly definition: unknown; readonly fingerprint: unknown }[];
}

/** What a provider saves that has connected to these servers, after JSON. */
async function save(
  world: CalmWorld,
  servers: readonly ServerSpec[],
  options: Partial<ProviderOptions> = {},
): Promise<Saved> {
  const provider: McpProvider = world.provider({ servers, ...options });
  await provider.refresh();
  const saved = throughJson(provider.savedCatalog());
  const names = throughJson(provider.savedNames());
  const tools = provider.tools().map((definition) => ({ definition, fingerprint: definition.fingerprint }));
  await provider.close();
  await world.settle();
  return { saved, names, provider: tools };
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function starts({ servers }: CalmWorld): Record<string, number> {
  return Object.fromEntries(Array.from(servers, ([id, { connects }]) => [id, connects.started]));
}

function stdio(args: readonly string[]): ServerSpec {
  return { id: "a", type: "stdio", command: "npx", args: [...args] };
}

function nested(depth: number): unknown {
  let schema: unknown = {};
  for (let level = 0; level < depth; level += 1) schema = { not: schema };
  return schema;
}

/** A connector of servers whose listings say more. */
function listingWith(
  world: CalmWorld,
  hints: Pick<ToolListing, "ttlMs" | "cacheScope">,
  { server, known = [] }: { readonly server?: ServerInfo; readonly known?: unknown[] } = {},
): ProviderOptions["connector"] {
  const simulated = createSimulatedConnector(world);
  return {
    ...simulated,
    async connect(spec: ServerSpec, hooks: ConnectionHooks, signal: AbortSignal) {
      known.push(hooks.known);
      const connection = await simulated.connect(spec, hooks, signal);
      return {
        ...connection,
        server: server ?? connection.server,
        listTools: async (options) => ({ ...(await connection.listTools(options)), ...hints }),
      };
    },
  };
}
