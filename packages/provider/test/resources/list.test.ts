import { HostsideError, type JsonObject, type HostsideErrorCode } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createWorld, failureOf, listing, settle, specOf, unwritable, type Answer } from "./scripted-world.ts";

const rpc = (code: HostsideErrorCode, outcome: "failed" | "unknown" | "not-sent" = "failed"): HostsideError =>
  new HostsideError("no", { code, outcome, serverId: "a" });

/** Pages without end: each names the next one. */
const endless: Answer = ({ params }) => {
  const page = Number(params["cursor"] ?? 0);
  if (page > 1000) throw new Error("nobody stopped at a limit");
  return { resources: [{ uri: `note://${page}`, name: "n" }], nextCursor: String(page + 1) };
};

describe("list()", () => {
  it("joins the resources of all servers in the order of ids and URIs, and failures are data", async () => {
    const { resources, server, clock } = createWorld({ servers: ["d", "b", "c", "a", "none"] });
    server("a").answer = listing("note://2", "note://1");
    server("b").answer = () => Promise.reject(rpc("server_error"));
    server("c").answer = () => new Promise(() => {});
    server("d").answer = listing("note://0");
    server("none").capabilities = { tools: {} };
    const work = resources.list({ timeoutMs: 5000 });
    await settle();
    clock.advance(5000);
    const { resources: found, failures, dropped } = await work;
    expect(found.map(({ serverId, uri }) => `${serverId} ${uri}`)).toEqual(["a note://1", "a note://2", "d note://0"]);
    expect(failures.map(({ serverId, error }) => [serverId, error.code, error.outcome])).toEqual([
      ["b", "server_error", "failed"],
      ["c", "request_timeout", "unknown"],
    ]);
    expect(dropped).toEqual([]);
    expect(server("none").asked).toEqual([]);
    // What hangs is cancelled on the wire.
    expect(server("c").asked[0]?.signal?.aborted).toBe(true);
  });

  it("leaves out what cannot be written as JSON, and keeps the others", async () => {
    const { resources, server } = createWorld();
    const odd = unwritable().map((_meta, at) => ({ uri: `note://${at}`, name: "n", _meta }));
    server("a").answer = () => ({ resources: [...odd, { uri: "note://good", name: "n" }] });
    const { resources: found, failures, dropped } = await resources.list();
    expect([found.map(({ uri }) => uri), failures]).toEqual([["note://good"], []]);
    const reason = "it cannot be written as JSON";
    expect(dropped).toEqual([0, 1].map((index) => ({ serverId: "a", index, reason })));
  });

  it("waits for a slow server once, for waitMs, and shows it when it has listed", async () => {
    const { resources, server, clock } = createWorld({ servers: ["a", "slow"] });
    let answer: (value: JsonObject) => void = () => undefined;
    server("slow").answer = () => new Promise<JsonObject>((resolve) => (answer = resolve));
    const changes: string[] = [];
    resources.onResourcesChanged(({ serverId }) => changes.push(serverId));
    const work = resources.list();
    await settle();
    clock.advance(5000);
    const late = [{ serverId: "slow", error: { code: "request_timeout" } }];
    expect(await work).toMatchObject({ resources: [{ serverId: "a" }], failures: late });
    // Nobody waits for it again, nor asks it beside what is under way.
    expect(await resources.list({ waitMs: 4000 })).toMatchObject({ resources: [{ serverId: "a" }], failures: late });
    expect([server("slow").asked.length, server("slow").asked[0]?.signal?.aborted]).toEqual([1, false]);
    answer({ resources: [{ uri: "note://late", name: "n" }] });
    await settle();
    expect(resources.snapshot().entries.map(({ serverId }) => serverId)).toEqual(["a", "slow"]);
    expect(changes).toEqual(["a", "slow"]);
    server("slow").answer = listing("note://late");
    expect((await resources.list()).failures).toEqual([]);
  });

  it("asks a server again that never answers, one at a time and within its time, and hears of its end no more than of its caller's", async () => {
    const { resources, server, clock } = createWorld();
    server("a").answer = () => new Promise(() => {});
    const abort = new AbortController();
    const first = resources.list({ signal: abort.signal });
    await settle();
    clock.advance(5000);
    expect((await first).failures).toHaveLength(1);
    abort.abort();
    expect(server("a").asked[0]?.signal?.aborted).toBe(false);
    clock.advance(25_000);
    await settle();
    expect(server("a").asked[0]?.signal?.aborted).toBe(true);
    expect((await resources.list()).failures).toHaveLength(1);
    await settle();
    expect(server("a").asked).toHaveLength(2);
    await expect(resources.list({ waitMs: 0 })).rejects.toThrow("list(): waitMs must be a whole number from 1");
    await resources.close();
  });

  it("waits again for a server that became ready meanwhile", async () => {
    let connect: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (connect = resolve));
    const world = createWorld({ servers: ["a"], pause: () => held });
    const work = world.resources.listPrompts();
    await settle();
    world.clock.advance(5000);
    expect((await work).failures).toEqual([]);
    const lists = world.resources.list();
    await settle();
    world.clock.advance(5000);
    expect((await lists).failures).toHaveLength(1);
    connect();
    await settle();
    expect((await world.resources.list()).failures).toEqual([]);
    await world.resources.close();
  });

  it("counts connecting into the same time", async () => {
    const { resources, clock } = createWorld({ provider: { connector: { connect: () => new Promise(() => {}) } } });
    const work = resources.list({ timeoutMs: 1000 });
    await settle();
    clock.advance(1000);
    expect((await work).failures).toMatchObject([
      { serverId: "a", error: { code: "request_timeout", outcome: "not-sent" } },
    ]);
  });

  it.each([
    [64, undefined],
    [65, "listing_truncated"],
  ])("reads %i pages of a server, and says so beyond 64", async (pages, code) => {
    const { resources, server } = createWorld();
    server("a").answer = ({ params }) => {
      const page = Number(params["cursor"] ?? 0);
      const nextCursor = page + 1 < pages ? { nextCursor: String(page + 1) } : {};
      return { resources: [{ uri: `note://${page}`, name: "n" }], ...nextCursor };
    };
    const { resources: found, failures } = await resources.list();
    expect(found).toHaveLength(64);
    expect(server("a").asked).toHaveLength(64);
    expect(failures.map(({ error }) => error.code)).toEqual(code === undefined ? [] : [code]);
  });

  it.each<[string, JsonObject, number]>([
    ["a cursor that repeats", { resources: [{ uri: "note://1", name: "n" }], nextCursor: "again" }, 2],
    ["a cursor that is no text", { resources: [{ uri: "note://1", name: "n" }], nextCursor: 7 }, 1],
    ["a cursor of a megabyte", { resources: [{ uri: "note://1", name: "n" }], nextCursor: "x".repeat(1e6) }, 1],
  ])("ends at %s, and keeps what was read", async (_what, page, requests) => {
    const { resources, server } = createWorld();
    server("a").answer = () => (server("a").asked.length > 9 ? { resources: [] } : page);
    const { resources: found, failures } = await resources.list();
    expect(found).toHaveLength(1);
    expect(failures).toMatchObject([{ serverId: "a", error: { code: "listing_truncated" } }]);
    expect(server("a").asked).toHaveLength(requests);
  });

  it("takes an empty cursor for the end where the server then starts over", async () => {
    // What comes twice counts once.
    const { resources, server } = createWorld();
    const entries = ["note://1", "note://2"].map((uri) => ({ uri, name: "n" }));
    server("a").answer = () => ({ resources: entries, nextCursor: "" });
    expect(await resources.list()).toMatchObject({ resources: entries, failures: [], dropped: [] });
    expect(server("a").asked).toHaveLength(2);
  });

  it("keeps the pages before one that fails, and names what it failed with", async () => {
    const { resources, server } = createWorld();
    server("a").answer = (asked) =>
      asked.params["cursor"] === "2" ? Promise.reject(rpc("server_error")) : endless(asked);
    const { resources: found, failures } = await resources.list();
    expect(found.map(({ uri }) => uri)).toEqual(["note://0", "note://1"]);
    expect(failures).toMatchObject([{ error: { code: "server_error" } }]);
  });

  it("takes entry by entry: what is malformed costs itself, with a reason", async () => {
    const { resources, server } = createWorld();
    const proto = JSON.parse(
      '{"uri":"note://p","name":"p","__proto__":{"x":1},"_meta":{"__proto__":{"polluted":true}}}',
    );
    const entries = [
      null,
      7,
      [],
      { name: "no uri" },
      { uri: "", name: "empty" },
      { uri: "x".repeat(1e6), name: "a megabyte" },
      { uri: `note://${"x".repeat(8200)}`, name: "too long" },
      { uri: "note://1" },
      {
        uri: "note://2",
        name: "kept",
        size: "large",
        mimeType: 7,
        annotations: { audience: ["user", 7], priority: "high" },
      },
      { uri: "note://2", name: "twice" },
      JSON.parse('{"uri":"note://4","name":"4","size":1e999,"annotations":{"priority":-1e999}}'),
      { uri: "note://3", name: "n".repeat(2000), title: 7, icons: [{ src: "data:," }, {}] },
      proto,
    ];
    server("a").answer = () => ({ resources: entries as never });
    const { resources: found, dropped, failures } = await resources.list();
    expect(failures).toEqual([]);
    expect(found).toEqual([
      { serverId: "a", uri: "note://2", name: "kept", annotations: { audience: ["user"] } },
      { serverId: "a", uri: "note://3", name: `${"n".repeat(1023)}…`, icons: [{ src: "data:," }], cut: ["name"] },
      { serverId: "a", uri: "note://4", name: "4", annotations: {} },
      { serverId: "a", uri: "note://p", name: "p", meta: expect.anything() },
    ]);
    expect(Object.hasOwn({}, "polluted") || "polluted" in {}).toBe(false);
    expect(dropped.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 9]);
    expect(dropped.every(({ reason }) => reason.length < 100)).toBe(true);
  });

  it.each<[string, Answer]>([
    ["a million entries", () => ({ resources: Array.from({ length: 1e6 }, (_, n) => ({ uri: `n:${n}`, name: "" })) })],
    ["a million that are none", () => ({ resources: Array.from({ length: 1e6 }, () => 0) })],
    ["pages without end", endless],
  ])("is bounded where a server lists %s, and other servers are there", async (_what, answer) => {
    const { resources, server } = createWorld({ servers: ["a", "b"] });
    server("a").answer = answer;
    const { resources: found, dropped, failures } = await resources.list();
    expect(failures).toMatchObject([{ serverId: "a", error: { code: "listing_truncated" } }]);
    expect(found.length).toBeLessThanOrEqual(10_001);
    expect(dropped.length).toBeLessThanOrEqual(101);
    expect(found.at(-1)).toMatchObject({ serverId: "b" });
  });

  it.each<[string, Answer]>([
    ["10000 entries", listing(...Array.from({ length: 10_001 }, (_, at) => `note://${at}`))],
    [
      "33554432 UTF-16 units",
      () => ({
        resources: Array.from({ length: 600 }, (_, at) => ({ uri: `n:${at}`, name: "n", x: "x".repeat(60_000) })),
      }),
    ],
    ["64 pages", endless],
  ])("stops at %s", async (said, answer) => {
    const { resources, server } = createWorld();
    server("a").answer = answer;
    const { failures } = await resources.list();
    expect(failures[0]?.error.message).toContain(said);
  });

  it("asks those that are named; one that is not registered, or disabled, is a failure then alone", async () => {
    const { resources, server, provider } = createWorld({ servers: ["a", "b"] });
    await provider.updateServer({ ...specOf("b"), disabled: true });
    expect((await resources.list()).failures).toEqual([]);
    const { failures } = await resources.list({ servers: ["b", "nobody", "b"] });
    expect(failures.map(({ serverId, error }) => [serverId, error.code])).toEqual([
      ["b", "server_disabled"],
      ["nobody", "unknown_server"],
    ]);
    expect(server("b").asked).toEqual([]);
    expect(resources.snapshot().servers.map(({ serverId }) => serverId)).toEqual(["a", "b"]);
  });

  it("sends meta to the server, and the context to the host's layers alone", async () => {
    const contexts: unknown[] = [];
    const { resources, server } = createWorld({
      provider: {
        requestInterceptors: [
          (request, next) => {
            contexts.push(request.options.context);
            return next(request);
          },
        ],
      },
    });
    const options = { meta: { agent_id: "x" }, context: { principal: "ann" } };
    await resources.list(options);
    await resources.listTemplates(options);
    await resources.read({ serverId: "a", uri: "note://one" }, options);
    expect(server("a").asked.map(({ method, params }) => [method, params])).toEqual([
      ["resources/list", { _meta: { agent_id: "x" } }],
      ["resources/templates/list", { _meta: { agent_id: "x" } }],
      ["resources/read", { uri: "note://one", _meta: { agent_id: "x" } }],
    ]);
    expect(contexts).toEqual(Array.from({ length: 3 }, () => ({ principal: "ann" })));
    await resources.list();
    expect(server("a").asked.at(-1)?.params).toEqual({});
  });

  it("begins once more where the session was lost between two pages, and never a third time", async () => {
    const { resources, server } = createWorld();
    let left = 1;
    server("a").answer = (asked) => {
      if (asked.params["cursor"] !== "1") return endless(asked);
      if (left === 0) return { resources: [] };
      left -= 1;
      server("a").crash();
      return new Promise(() => {});
    };
    const { resources: found, failures } = await resources.list();
    expect([found.map(({ uri }) => uri), failures]).toEqual([["note://0"], []]);
    expect(server("a").asked.map(({ session, params }) => [session, params["cursor"]])).toEqual([
      [1, undefined],
      [1, "1"],
      [2, undefined],
      [2, "1"],
    ]);
    left = 2;
    const again = await resources.list();
    expect(again.failures).toMatchObject([{ error: { code: "connection_closed" } }]);
    expect(server("a").asked).toHaveLength(8);
  });

  it("ends with aborted for its caller, and on the wire", async () => {
    const { resources, server, clock } = createWorld();
    await resources.list();
    server("a").answer = () => new Promise(() => {});
    const stop = new AbortController();
    const work = resources.list({ signal: stop.signal });
    const failed = failureOf(work);
    await settle();
    stop.abort();
    expect(await failed).toMatchObject({ code: "aborted" });
    expect(server("a").asked.at(-1)?.signal?.aborted).toBe(true);
    // What was given up says nothing of the server.
    expect(resources.snapshot().servers).toEqual([{ serverId: "a", stale: false }]);
    expect(clock.pending()).toBe(0);
  });

  it.each(["resources", "provider"] as const)("rejects with closed when the %s are closed meanwhile", async (what) => {
    const world = createWorld();
    const { resources, server, clock } = world;
    server("a").answer = () => new Promise(() => {});
    const failed = failureOf(resources.list());
    await settle();
    await world[what].close();
    expect(await failed).toMatchObject({ code: "closed" });
    await expect(resources.list()).rejects.toMatchObject({ code: "closed" });
    await expect(resources.read({ serverId: "a", uri: "note://one" })).rejects.toMatchObject({ code: "closed" });
    expect(resources.snapshot()).toMatchObject({ entries: [], servers: [] });
    await world.provider.close();
    expect(clock.pending()).toBe(0);
  });

  it.each<[object, string]>([
    [{ server: "a" }, "server"],
    [{ servers: "a" }, "servers"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ meta: "x" }, "meta"],
    [{ context: { principal: 7 } }, "principal"],
  ])("refuses %j", async (options, place) => {
    const { resources } = createWorld();
    await expect(resources.list(options)).rejects.toThrow(TypeError);
    await expect(resources.list(options)).rejects.toThrow(place);
  });
});
