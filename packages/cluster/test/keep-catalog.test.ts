import {
  createMemoryStore,
  type Connection,
  type Connector,
  type Diagnostic,
  type ServerSpec,
  type Store,
} from "@hostside/core";
import { createKeptCatalog, type KeptCatalog, type KeptCatalogOptions } from "@hostside/cluster";
import { createProvider, type McpProvider } from "@hostside/provider";
import { Keyv } from "keyv";
import { describe, expect, it } from "vitest";
import { useTestClock } from "../../../test/manual-clock.ts";

const specs: readonly ServerSpec[] = ["a", "b"].map((id) => ({
  id,
  type: "http",
  url: `https://${id}.example.com/mcp`,
}));

describe("a kept catalogue", () => {
  it.each<[string, () => Store]>([
    ["this process", () => createMemoryStore()],
    ["a Keyv", () => new Keyv()],
  ])("is there for the next process, in %s", async (_where, open) => {
    const store = open();
    const first = await run({ store }, specs);
    const kept = createKeptCatalog({ store });
    const next = createProvider({
      connector: connectorTo(["echo"]),
      servers: specs,
      savedCatalog: await kept.recall(specs),
    });
    expect(next.tools()).toHaveLength(2);
    expect(next.savedCatalog()).toEqual(first);
    await next.close();
  });

  it("is written at once, and changes at most once a second, the last of them by close()", async () => {
    const store = counting(createMemoryStore());
    const tools = ["echo"];
    const kept = createKeptCatalog({ store });
    const provider = createProvider({ connector: connectorTo(tools), servers: specs.slice(0, 1) });
    kept.follow(provider);
    await provider.init();
    await expect.poll(() => store.sets).toBe(1);
    tools.push("more");
    await provider.refresh();
    tools.push("and more");
    await provider.refresh();
    expect(store.sets).toBe(1);
    await kept.close();
    expect(store.sets).toBe(2);
    const again = createKeptCatalog({ store });
    expect((await again.recall(specs)).servers[0]?.tools).toHaveLength(3);
    await provider.close();
  });

  it("is not written again for what is there already", async () => {
    const store = counting(createMemoryStore());
    await run({ store }, specs);
    const kept = createKeptCatalog({ store });
    const savedCatalog = await kept.recall(specs);
    const provider = createProvider({ connector: connectorTo(["echo"]), servers: specs, savedCatalog });
    kept.follow(provider);
    await provider.refresh();
    await kept.close();
    expect(store.sets).toBe(2);
    await provider.close();
  });

  it("has a place for each server and each principal, which nobody else writes over or reads", async () => {
    const store = createMemoryStore();
    await run({ store }, specs.slice(0, 1), { tools: ["of alice"], principal: "alice" });
    await run({ store }, specs.slice(1), { tools: ["of bob"], principal: "bob" });
    await run({ store }, specs.slice(0, 1), { tools: ["of bob"], principal: "bob" });
    const kept = createKeptCatalog({ store });
    const names = async (principal?: string) =>
      (await kept.recall(specs, principal)).servers.map(({ serverId, tools }) => [serverId, tools[0]?.["name"]]);
    expect(await names("alice")).toEqual([["a", "of alice"]]);
    expect(await names("bob")).toEqual([
      ["a", "of bob"],
      ["b", "of bob"],
    ]);
    expect(await names()).toEqual([]);
    // What was listed for nobody in particular, later, stands in nobody's way.
    await run({ store }, specs.slice(0, 1), { tools: ["of nobody"] });
    expect(await names()).toEqual([["a", "of nobody"]]);
    expect(await names("alice")).toEqual([["a", "of alice"]]);
  });

  it("refuses what is no store, and options that it does not have", () => {
    expect(() => createKeptCatalog({ store: {} as never })).toThrow("store must be a store");
    expect(() => createKeptCatalog({ store: createMemoryStore(), ttlMs: 1 } as never)).toThrow('no option "ttlMs"');
  });

  it("shows all what the server says is everybody's", async () => {
    const store = createMemoryStore();
    await run({ store }, specs, { principal: "alice", cacheScope: "public" });
    const recalled = await createKeptCatalog({ store }).recall(specs, "bob");
    expect(recalled.servers).toHaveLength(2);
    const provider = createProvider({
      connector: connectorTo([]),
      servers: specs,
      savedCatalog: recalled,
      principal: "bob",
    });
    expect(provider.tools()).toHaveLength(2);
    await provider.close();
  });
});

describe("a store of catalogues that fails", () => {
  it.each<[string, Partial<Store>, string]>([
    ["throws", { get: () => Promise.reject(new Error("down")) }, "down"],
    ["holds garbage", { get: async () => "garbage" }, "is not what was kept there"],
    ["holds what a later version wrote", { get: async () => ({ version: 9, value: {} }) }, "later version"],
  ])("and %s costs no start, and is told once", async (_what, store, why) => {
    const said: Diagnostic[] = [];
    const kept = createKeptCatalog({
      store: { ...createMemoryStore(), ...store },
      onDiagnostic: (each) => void said.push(each),
    });
    expect(await kept.recall(specs)).toEqual({ version: 1, servers: [] });
    expect(said).toMatchObject([{ kind: "not-kept", message: expect.stringContaining(why) }]);
  });

  it("and never answers is waited for 3 s", async () => {
    const waits: (() => void)[] = [];
    useTestClock({
      now: () => 0,
      schedule: (ms, task) => (waits.push(() => ms === 3000 && task()), () => {}),
    });
    const said: Diagnostic[] = [];
    const kept = createKeptCatalog({
      store: { ...createMemoryStore(), get: () => new Promise(() => {}) },
      onDiagnostic: (each) => void said.push(each),
    });
    const recalling = kept.recall(specs.slice(0, 1));
    for (const pass of waits) pass();
    expect(await recalling).toEqual({ version: 1, servers: [] });
    expect(said).toMatchObject([{ message: expect.stringContaining("in time") }]);
  });

  it("and cannot be written is told once, and once more after it has worked", async () => {
    const said: Diagnostic[] = [];
    const memory = createMemoryStore();
    let isDown = true;
    const store: Store = {
      ...memory,
      set: (...args) => (isDown ? Promise.reject(new Error("full")) : memory.set(...args)),
    };
    const init = { store, onDiagnostic: (each: Diagnostic) => void said.push(each) };
    const kept = createKeptCatalog(init);
    await run(init, specs, { kept });
    expect(said).toHaveLength(1);
    isDown = false;
    await run(init, specs, { kept: createKeptCatalog(init) });
    expect((await createKeptCatalog(init).recall(specs)).servers).toHaveLength(2);
  });

  it("keeps what a later version wrote, and nothing that is too long", async () => {
    const long = "x".repeat(4 * 1024 * 1024);
    const memory = createMemoryStore();
    const sets: unknown[] = [];
    const store: Store = {
      ...memory,
      get: async () => ({ version: 2, value: "later" }),
      set: async (...args) => sets.push(args),
    };
    await run({ store }, specs);
    const said: Diagnostic[] = [];
    const small = counting(createMemoryStore());
    await run({ store: small, onDiagnostic: (each) => void said.push(each) }, specs.slice(0, 1), { tools: [long] });
    expect([sets, small.sets]).toEqual([[], 0]);
    expect(said).toMatchObject([{ message: expect.stringContaining("longer than 4194304") }]);
  });

  it("keeps no key, and no value, with a principal or a credential in it", async () => {
    const texts: string[] = [];
    const memory = createMemoryStore();
    const store: Store = { ...memory, set: async (...args) => texts.push(JSON.stringify(args)) };
    const spec: ServerSpec = {
      id: "a",
      type: "http",
      url: "https://a.example.com/mcp?key=k3y-0f-url",
      bearerToken: "t0k3n-0f-alice",
      headers: { "x-pin": "1234" },
    };
    await run({ store }, [spec], { principal: "alice@example.com" });
    expect(texts).toHaveLength(1);
    for (const secret of ["k3y-0f-url", "t0k3n-0f-alice", '1234"', "alice@example.com"])
      expect(texts.join("")).not.toContain(secret);
  });
});

interface RunInit {
  readonly tools?: readonly string[];
  readonly principal?: string;
  readonly cacheScope?: "public";
  readonly kept?: KeptCatalog;
}

/** One process: it lists, and ends. Answers what it had then. */
async function run(
  options: KeptCatalogOptions,
  servers: readonly ServerSpec[],
  { tools = ["echo"], principal, cacheScope, kept = createKeptCatalog(options) }: RunInit = {},
) {
  const provider: McpProvider = createProvider({ connector: connectorTo(tools, cacheScope), servers, principal });
  kept.follow(provider);
  await provider.init();
  const saved = provider.savedCatalog();
  await kept.close();
  await provider.close();
  return JSON.parse(JSON.stringify(saved)) as unknown;
}

function connectorTo(tools: readonly string[], cacheScope?: "public"): Connector {
  const connection: Connection = {
    server: { era: "legacy", protocolVersion: "2025-11-25", capabilities: { tools: {} } },
    listTools: async () => ({
      tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
      dropped: [],
      pages: 1,
      ...(cacheScope && { cacheScope }),
    }),
    callTool: async () => ({ content: [] }),
    request: async () => ({}),
    notify: async () => undefined,
    subscribeResource: () => Promise.reject(new Error("none")),
    close: async () => undefined,
  };
  return { connect: async () => connection };
}

function counting(store: Store): Store & { readonly sets: number } {
  let sets = 0;
  return {
    ...store,
    get sets() {
      return sets;
    },
    set(...args) {
      sets += 1;
      return store.set(...args);
    },
  };
}
