import { HostsideError, type JsonValue } from "@hostside/core";
import type { Resource } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createWorld, listing, settle, specOf, type Answer } from "./scripted-world.ts";
import { viewOf, watch } from "./watch.ts";

const uris = (entries: readonly Resource[]): readonly string[] => entries.map(({ uri }) => uri);

describe("a list that was read", () => {
  it("is read again once for a burst, 200 ms after the last, and what changed is reported", async () => {
    const { resources, server, clock, changes, announce, times, shown } = watch();
    server("a").answer = () => ({ resources: ["1", "2", "3"].map((uri) => ({ uri, name: uri, _meta: { n: 1 } })) });
    await resources.list();
    const { revision } = resources.snapshot();
    server("a").answer = () => ({
      resources: [
        { name: "2", uri: "2", _meta: { n: 1 } },
        { uri: "3", name: "three", _meta: { n: 1 } },
        { uri: "4", name: "4" },
      ],
    });
    for (let burst = 0; burst < 5; burst += 1) {
      announce();
      clock.advance(199);
    }
    expect(times()).toBe(1);
    expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: true }]);
    clock.advance(1);
    await settle();
    expect(times()).toBe(2);
    const change = changes.at(-1);
    expect([change?.serverId, change?.revision]).toEqual(["a", revision + 1]);
    expect([change?.added, change?.removed, change?.changed].map((list) => uris(list ?? []))).toEqual([
      ["4"],
      ["1"],
      ["3"],
    ]);
    expect(shown()).toEqual(["a 2", "a 3", "a 4"]);
    expect(resources.snapshot()).toMatchObject({ revision: revision + 1, servers: [{ serverId: "a", stale: false }] });
    expect(clock.pending()).toBe(0);
  });

  it("is read again after ten times that at the latest", async () => {
    const { resources, clock, announce, times } = watch();
    await resources.list();
    for (let passed = 0; passed < 2000; passed += 100) {
      announce();
      clock.advance(100);
    }
    await settle();
    expect(times()).toBe(2);
  });

  it("is left stale while nobody listens, and read again for whoever begins to", async () => {
    const world = createWorld();
    const { resources, clock } = world;
    const { announce, times } = viewOf(world);
    await resources.list();
    announce();
    clock.advance(10_000);
    await settle();
    expect([times(), clock.pending()]).toEqual([1, 0]);
    expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: true }]);
    const listening = resources.onResourcesChanged(() => {});
    clock.advance(200);
    await settle();
    expect(times()).toBe(2);
    expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: false }]);
    listening();
    announce();
    clock.advance(10_000);
    expect([times(), clock.pending()]).toEqual([2, 0]);
  });

  it("stays as it was, stale, when it cannot be read again, and has no gap", async () => {
    const { resources, server, clock, changes, announce, shown } = watch({ servers: ["a", "a_prod"] });
    await resources.list();
    const before = shown();
    server("a").answer = () => Promise.reject(new HostsideError("no", { code: "server_error", serverId: "a" }));
    announce();
    clock.advance(200);
    expect(shown()).toEqual(before);
    await settle();
    expect(shown()).toEqual(before);
    expect(changes).toHaveLength(2);
    expect(resources.snapshot().servers).toMatchObject([
      { serverId: "a", stale: true, error: { code: "server_error" } },
      { serverId: "a_prod", stale: false },
    ]);
    // One that is not whole does not replace one that was.
    server("a").answer = () => ({ resources: [], nextCursor: 7 });
    expect((await resources.list()).failures).toMatchObject([{ error: { code: "listing_truncated" } }]);
    expect(shown()).toEqual(before);
    server("a").answer = listing("note://new");
    announce();
    clock.advance(200);
    await settle();
    expect(shown()).toEqual(["a note://new", "a_prod note://one"]);
    expect(resources.snapshot().servers.map(({ stale, error }) => [stale, error])).toEqual([
      [false, undefined],
      [false, undefined],
    ]);
  });

  it("stays as far as it was read when it cannot be read again, also where it never was whole", async () => {
    const { resources, server, changes, shown } = watch();
    const fail = (): Promise<JsonValue> => Promise.reject(new HostsideError("no", { code: "server_error" }));
    const readPart: Answer = ({ params }) =>
      params["cursor"] === "2" ? fail() : { resources: [{ uri: "note://page", name: "n" }], nextCursor: "2" };
    const readToLimit =
      (...all: readonly string[]): Answer =>
      () => ({ resources: all.map((uri) => ({ uri, name: "n" })), nextCursor: 7 });
    // What failed on its way is shown where nothing is, and replaced by what is as long as the
    // limits let it be.
    server("a").answer = readPart;
    await resources.list();
    expect(shown()).toEqual(["a note://page"]);
    server("a").answer = readToLimit("note://1", "note://2");
    await resources.list();
    expect(shown()).toEqual(["a note://1", "a note://2"]);
    const { length } = changes;
    for (const answer of [fail, readPart]) {
      server("a").answer = answer;
      expect((await resources.list()).failures).toMatchObject([{ error: { code: "server_error" } }]);
      expect(shown()).toEqual(["a note://1", "a note://2"]);
      expect(resources.snapshot().servers).toMatchObject([{ stale: true, error: { code: "server_error" } }]);
    }
    expect(changes).toHaveLength(length);
    server("a").answer = readToLimit("note://3", "note://4");
    await resources.list();
    expect(shown()).toEqual(["a note://3", "a note://4"]);
    server("a").answer = listing();
    await resources.list();
    expect(shown()).toEqual([]);
  });

  it("is gone at once with its server, and no other", async () => {
    const { resources, provider, changes, shown, clock, announce } = watch({ servers: ["a", "a_prod"] });
    await resources.list();
    announce();
    void provider.removeServer("a");
    expect(shown()).toEqual(["a_prod note://one"]);
    expect(changes.at(-1)).toMatchObject({ serverId: "a", removed: [{ uri: "note://one" }], added: [], changed: [] });
    await settle();
    expect(clock.pending()).toBe(0);
  });

  it("follows servers that come later, come back, or come back without resources", async () => {
    const { resources, provider, server, clock, shown } = watch({ servers: ["a", "b"] });
    const [a, b] = [server("a"), server("b")];
    await resources.list();
    await provider.addServer(specOf("c"));
    clock.advance(200);
    await settle();
    expect(shown()).toEqual(["a note://one", "b note://one", "c note://one"]);
    a.answer = listing("note://two");
    b.capabilities = {};
    for (const each of [a, b]) each.crash();
    await Promise.all([provider.refreshServer("a"), provider.refreshServer("b")]);
    clock.advance(200);
    await settle();
    expect(shown()).toEqual(["a note://two", "c note://one"]);
  });

  it("is tried again when its server is there that was not", async () => {
    const { resources, provider, server, clock, shown } = watch();
    server("a").answer = () => Promise.reject(new HostsideError("no", { code: "server_error", serverId: "a" }));
    await resources.list();
    expect(shown()).toEqual([]);
    server("a").answer = listing("note://one");
    await provider.disconnectServer("a");
    await provider.refreshServer("a");
    clock.advance(200);
    await settle();
    expect(shown()).toEqual(["a note://one"]);
  });

  it("is read ever more seldom from a server that announces a change in each reading", async () => {
    const { resources, server, clock, announce, times } = watch();
    await resources.list();
    server("a").answer = (asked) => {
      announce();
      return listing("note://one")(asked);
    };
    announce();
    for (let turn = 0; turn < 100; turn += 1) {
      clock.advance(2000);
      await settle();
    }
    expect(times()).toBeGreaterThan(6);
    expect(times()).toBeLessThan(14);
    expect(clock.pending()).toBe(1);
    expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: true }]);
  });

  it("is read ever more seldom from a server that announces a change after each reading, until there is one", async () => {
    const { resources, provider, server, clock, announce, times, shown } = watch();
    let name = "note://one";
    server("a").answer = (asked) => {
      setImmediate(announce);
      return listing(name)(asked);
    };
    const pass = async (ms: number): Promise<number> => {
      const before = times();
      for (let passed = 0; passed < ms; passed += 200) {
        clock.advance(200);
        await settle();
      }
      return times() - before;
    };
    await resources.list();
    expect(await pass(60_000)).toBeLessThan(10);
    // Another session is another matter.
    server("a").crash();
    await provider.refreshServer("a");
    expect(await pass(200)).toBe(1);
    name = "note://two";
    expect(await pass(60_000)).toBeGreaterThan(1);
    expect(shown()).toEqual(["a note://two"]);
    // After a time without a word, as ever.
    server("a").answer = (asked) => listing(name)(asked);
    await pass(120_000);
    announce();
    expect(await pass(400)).toBe(1);
  });

  it("is independent of templates, and both are of tools", async () => {
    const { resources, provider, server, clock, announce } = watch();
    const changed: unknown[] = [];
    await provider.init();
    resources.onTemplatesChanged((change) => changed.push(change));
    provider.onToolsChanged((change) => changed.push(change));
    await resources.list();
    announce();
    clock.advance(200);
    await settle();
    expect(server("a").asked.map(({ method }) => method)).toEqual(["resources/list", "resources/list"]);
    expect(changed).toEqual([]);
    server("a").answer = () => ({ resourceTemplates: [{ uriTemplate: "note://{n}", name: "n" }] });
    await resources.listTemplates();
    expect(changed).toMatchObject([{ serverId: "a", added: [{ uriTemplate: "note://{n}" }] }]);
    expect(resources.templateSnapshot().entries).toHaveLength(1);
  });

  it("is of those in whose name it is kept: other principals' lists, and those with meta, are their own", async () => {
    const { resources, server, shown } = watch({ provider: { principal: "ann" } });
    for (const options of [{ context: { principal: "bob" } }, { context: { principal: "ann" }, meta: {} }]) {
      expect((await resources.list(options)).resources).toHaveLength(1);
      expect(shown()).toEqual([]);
    }
    await resources.list({ context: { principal: "ann", conversation: "c" } });
    expect(shown()).toEqual(["a note://one"]);
    expect(server("a").asked).toHaveLength(3);
  });

  it.each(["resources", "provider"] as const)("leaves nothing when the %s are closed", async (what) => {
    const world = watch();
    const { resources, clock, announce, changes, server } = world;
    await resources.list();
    await resources.subscribe({ serverId: "a", uri: "note://one" }, () => {});
    announce();
    server("a").answer = () => new Promise(() => {});
    await world[what].close();
    expect(server("a").subscribed).toEqual(what === "resources" ? [] : ["note://one"]);
    expect([clock.pending(), resources.snapshot().entries, changes.length]).toEqual([0, [], 1]);
    await world.provider.close();
    expect(clock.pending()).toBe(0);
  });

  it("cannot be changed by who reads it", async () => {
    const { resources } = watch();
    await resources.list();
    const [entry] = resources.snapshot().entries;
    expect(() => Object.assign(entry ?? {}, { uri: "x" })).toThrow(TypeError);
    expect(() => Object.assign(resources.snapshot().entries, { 0: entry })).toThrow(TypeError);
    expect(resources.snapshot()).toBe(resources.snapshot());
  });
});
