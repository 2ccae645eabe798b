import type { JsonObject, ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createWorld, listing, settle, specOf, unwritable, type World, type WorldOptions } from "./scripted-world.ts";

const target = { serverId: "a", uri: "note://one" };

/** A world with a cache, and how often server `a` was asked. */
function open(options: WorldOptions = {}): World & { readonly times: () => number } {
  const world = createWorld({ cache: {}, servers: ["a", "b"], ...options });
  const times = (): number => world.server("a").asked.filter(({ method }) => method === "resources/read").length;
  return { ...world, times };
}

describe("the cache of reads", () => {
  it("is off by default", async () => {
    const { resources, times } = open({ cache: undefined });
    await resources.read(target);
    expect((await resources.read(target)).isCached).toBe(false);
    expect(times()).toBe(2);
    expect(resources.stats()).toEqual({ servers: [], cacheEntries: 0, cacheBytes: 0 });
  });

  it("gives a text again for 30 s, and counts hits and misses", async () => {
    const { resources, times, clock } = open();
    const first = await resources.read(target);
    clock.advance(29_999);
    expect(await resources.read(target)).toEqual({ ...first, isCached: true });
    expect(resources.stats().servers).toEqual([{ serverId: "a", cacheHits: 1, cacheMisses: 1, refusedUris: 0 }]);
    clock.advance(2);
    expect((await resources.read(target)).isCached).toBe(false);
    expect(times()).toBe(2);
  });

  it("keeps 256 reads, and the one not asked for longest goes first", async () => {
    const { resources, times } = open();
    const read = (n: number): Promise<unknown> => resources.read({ ...target, uri: `note://${n}` });
    for (let n = 0; n < 256; n += 1) await read(n);
    await read(0);
    await read(256);
    expect([times(), resources.stats().cacheEntries]).toEqual([257, 256]);
    await read(0);
    expect(times()).toBe(257);
    await read(1);
    expect(times()).toBe(258);
  });

  it("is bounded in bytes", async () => {
    const { resources, server, times } = open();
    // Two bytes a unit, and 16 MiB in all.
    server("a").answer = ({ params }) => ({ contents: [{ uri: "n:", text: "x".repeat(Number(params["uri"])) }] });
    const uris = ["8388608", "8388608", "3000000", "3000001", "3000002", "3000002", "3000000"];
    for (const uri of uris) await resources.read({ ...target, uri });
    expect(times()).toBe(6);
    expect(resources.stats().cacheBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  it("keeps nothing that cannot be written as JSON", async () => {
    for (const _meta of unwritable()) {
      const { resources, server, times } = open();
      server("a").answer = () => ({ contents: [{ uri: "n:", text: "x", _meta }] });
      for (let time = 0; time < 2; time += 1) expect(await resources.read(target)).toMatchObject({ isCached: false });
      expect([times(), resources.stats().cacheEntries]).toEqual([2, 0]);
    }
  });

  it("keeps nothing that has no text", async () => {
    const { resources, server, times } = open();
    server("a").answer = () => ({ contents: [{ uri: "n:", blob: "AA==" }] });
    await resources.read(target);
    await resources.read(target);
    expect(times()).toBe(2);
    server("a").answer = () => ({
      contents: [
        { uri: "n:", blob: "AA==" },
        { uri: "n:", text: "" },
      ],
    });
    await resources.read(target);
    await resources.read(target);
    expect(times()).toBe(3);
  });

  it("is passed by where something of the caller's goes along", async () => {
    const { resources, times } = open();
    await resources.read(target);
    await resources.read(target, { meta: { session_id: "s" } });
    await resources.read(target, { meta: {} });
    expect(times()).toBe(3);
    expect(resources.stats().servers[0]).toMatchObject({ cacheHits: 0, cacheMisses: 1 });
  });

  it("never gives one principal, role, server or URI what is another's", async () => {
    const { resources, times, server } = open();
    const contexts = [
      undefined,
      { principal: "ann" },
      { principal: "bob" },
      { role: "ann" },
      { principal: "ann", role: "x" },
    ];
    for (const context of contexts) await resources.read(target, { context });
    expect(times()).toBe(contexts.length);
    for (const context of contexts) expect((await resources.read(target, { context })).isCached).toBe(true);
    await resources.read({ ...target, serverId: "b" });
    expect(server("b").asked).toHaveLength(1);
    await resources.read({ ...target, uri: "note://two" });
    expect(times()).toBe(contexts.length + 1);
    // What a conversation is about does not change what a resource is.
    expect((await resources.read(target, { context: { conversation: "c" } })).isCached).toBe(true);
  });

  it.each<[string, JsonObject, [passedMs: number, asked: number]]>([
    ["nothing", {}, [0, 2]],
    ["ttlMs 0", { ttlMs: 0, cacheScope: "public" }, [0, 2]],
    ["a ttlMs that is none", { ttlMs: "60000" }, [0, 2]],
    ["one without end, as 1e999 is read", { ttlMs: Number.POSITIVE_INFINITY }, [0, 2]],
    ["a negative one", { ttlMs: -1 }, [0, 2]],
    ["a short one, before it is over", { ttlMs: 1000, cacheScope: "private" }, [999, 1]],
    ["a short one", { ttlMs: 1000, cacheScope: "private" }, [1001, 2]],
    ["a long one, which this host bounds", { ttlMs: 1e9, cacheScope: "public" }, [30_001, 2]],
  ])("honours what a server of 2026-07-28 says: %s", async (_what, hints, [passedMs, asked]) => {
    const { resources, server, times, clock } = open();
    server("a").era = "modern";
    server("a").answer = () => ({ contents: [{ uri: "n:", text: "x" }], ...hints });
    const read = await resources.read(target);
    expect(read.cacheScope).toBe(hints["cacheScope"] ?? "private");
    clock.advance(passedMs);
    await resources.read(target);
    expect(times()).toBe(asked);
  });

  it("keeps what is private, and public, for its principal alone", async () => {
    const { resources, server, times } = open();
    server("a").era = "modern";
    for (const cacheScope of ["private", "public"]) {
      server("a").answer = () => ({ contents: [{ uri: "n:", text: "x" }], ttlMs: 1000, cacheScope });
      for (const principal of ["ann", "bob", "ann"]) {
        await resources.read({ ...target, uri: cacheScope }, { context: { principal } });
      }
    }
    expect(times()).toBe(4);
  });

  it.each<[string, (world: World) => unknown]>([
    ["its lists changed", ({ server }) => server("a").hooks().onResourcesChanged?.()],
    ["its session was lost", ({ server }) => server("a").crash()],
    [
      "it was removed and is another one",
      async ({ provider }) => {
        await provider.removeServer("a");
        await provider.addServer(specOf("a"));
      },
    ],
    [
      "it was started with other credentials",
      async ({ provider }) => {
        await provider.updateServer({
          ...specOf("a"),
          env: { TOKEN: "another" },
        });
      },
    ],
    ["it was signed out of", ({ provider }) => provider.clearCredentials("a")],
  ])("forgets what is of one server, and no other, when %s", async (_what, happen) => {
    const world = open();
    const { resources, times } = world;
    await resources.read(target);
    await resources.read({ ...target, serverId: "b" });
    await happen(world);
    await settle();
    expect((await resources.read(target)).isCached).toBe(false);
    expect((await resources.read({ ...target, serverId: "b" })).isCached).toBe(true);
    expect(times()).toBe(2);
  });

  it("forgets what other headers brought, whoever they were", async () => {
    const keyed = (key: string): ServerSpec => ({
      id: "keyed",
      type: "http",
      url: "https://x.test/",
      headers: { "x-api-key": key },
    });
    const { resources, provider, server } = open({ provider: { servers: [keyed("first-key")] } });
    const read = async (): Promise<boolean> => (await resources.read({ ...target, serverId: "keyed" })).isCached;
    expect([await read(), await read()]).toEqual([false, true]);
    await provider.updateServer(keyed("second-key"));
    expect([await read(), await read()]).toEqual([false, true]);
    expect(server("keyed").sessions).toBe(2);
  });

  it("forgets a resource that changed, its parts and what it is a part of, and no other", async () => {
    const { resources, server } = open();
    const uris = ["file:///d", "file:///d/a", "file:///d/a#1", "file:///d/ab", "file:///e"];
    await resources.subscribe({ serverId: "a", uri: "file:///d" }, () => {});
    for (const uri of uris) await resources.read({ ...target, uri });
    server("a").hooks().onResourceUpdated?.("file:///d/a");
    const cached = await Promise.all(uris.map(async (uri) => (await resources.read({ ...target, uri })).isCached));
    expect(cached).toEqual([false, false, false, true, true]);
  });

  it("does not keep what was read before a change and came after it", async () => {
    const { resources, server, times } = open();
    let answer = (): void => {};
    server("a").answer = () =>
      new Promise((resolve) => (answer = () => resolve({ contents: [{ uri: "n:", text: "old" }] })));
    const old = resources.read(target);
    await settle();
    server("a").hooks().onResourcesChanged?.();
    answer();
    await old;
    server("a").answer = listing();
    expect((await resources.read(target)).isCached).toBe(false);
    expect(times()).toBe(2);
  });

  it("gives what nobody can change for the next", async () => {
    const { resources } = open();
    const first = await resources.read(target);
    const second = await resources.read(target);
    for (const read of [first, second]) {
      expect(() => Object.assign(read, { isCached: false })).toThrow(TypeError);
      expect(() => Object.assign(read.contents[0] ?? {}, { text: "changed" })).toThrow(TypeError);
    }
    expect(second.contents[0]?.text).toBe("text of note://one");
  });

  it("holds nothing after close()", async () => {
    const { resources } = open();
    await resources.read(target);
    await resources.close();
    expect(resources.stats().cacheEntries).toBe(0);
  });
});
