import { HostsideError, type JsonValue, type HostsideErrorCode } from "@hostside/core";
import { createResources } from "@hostside/provider/resources";
import { describe, expect, it } from "vitest";
import { createWorld, failureOf, listing, settle, type Answer } from "./scripted-world.ts";

const most = 8 * 1024 * 1024;
const target = { serverId: "a", uri: "note://one" };
const holding =
  (...contents: readonly JsonValue[]): Answer =>
  () => ({ contents });

describe("read()", () => {
  it("gives texts and bytes as they came, with what is for the host, and leaves malformed pieces out", async () => {
    const { resources, server } = createWorld();
    server("a").answer = () => ({
      contents: [
        { uri: "note://one", text: "", mimeType: "text/plain", _meta: { a: 1 }, other: true },
        { uri: "note://one/2", blob: "AAEC", mimeType: 7 },
        { uri: "note://one/3", text: "x", mimeType: `text/${"x".repeat(9_000_000)}` },
        { uri: "note://one" },
        { text: "no uri" },
        "text",
      ],
      _meta: { host: true },
    });
    expect(await resources.read(target)).toEqual({
      ...target,
      contents: [
        { uri: "note://one", text: "", mimeType: "text/plain", _meta: { a: 1 } },
        { uri: "note://one/2", blob: "AAEC" },
        { uri: "note://one/3", text: "x" },
      ],
      dropped: [3, 4, 5].map((index) => ({ index, reason: expect.any(String) })),
      meta: { host: true },
      isCached: false,
    });
  });

  it.each(["legacy", "modern"] as const)("says resource_not_found for the codes of both eras: %s", async (era) => {
    const { resources, server } = createWorld();
    server("a").era = era;
    for (const rpcCode of [-32_002, -32_602, -32_603]) {
      server("a").answer = () =>
        Promise.reject(new HostsideError("no", { code: "server_error", serverId: "a", details: { rpcCode } }));
      const code = rpcCode === -32_603 ? "server_error" : "resource_not_found";
      await expect(resources.read(target)).rejects.toMatchObject({ code, outcome: "failed", details: { rpcCode } });
    }
    expect(server("a").asked).toHaveLength(3);
  });

  it("asks nothing of a server that has no resources, nor of one that is not registered", async () => {
    const { resources, server } = createWorld();
    server("a").capabilities = {};
    await expect(resources.read(target)).rejects.toMatchObject({ code: "unsupported_operation", outcome: "not-sent" });
    await expect(resources.read({ ...target, serverId: "b" })).rejects.toMatchObject({ code: "unknown_server" });
    expect(server("a").asked).toEqual([]);
  });

  it.each<[string, Answer, object]>([
    ["no array", () => ({ contents: "text" }), { code: "protocol_error" }],
    ["no object", () => ["text"], { code: "protocol_error" }],
    ["a text that is too long", holding({ uri: "n:", text: "x".repeat(most + 1) }), { code: "message_too_large" }],
    [
      "two that are too long together",
      holding({ uri: "n:", text: "x".repeat(most) }, { uri: "n:", blob: "x".repeat(60) }),
      { code: "message_too_large", details: { usage: { used: most + 60, limit: most } } },
    ],
    [
      "too many pieces",
      holding(...Array.from({ length: 1001 }, () => 0)),
      { code: "message_too_large", details: { usage: { used: 1001, limit: 1000 } } },
    ],
  ])("refuses what is answered with %s, and cuts nothing", async (_what, answer, error) => {
    const { resources, server } = createWorld();
    server("a").answer = answer;
    await expect(resources.read(target)).rejects.toMatchObject({ serverId: "a", ...error });
    server("a").answer = holding({ uri: "n:", text: "x".repeat(most) });
    expect((await resources.read(target)).contents).toHaveLength(1);
  });

  it("refuses a scheme that is not allowed before anything is sent, and counts it", async () => {
    const { resources, server, provider } = createWorld({ allowedUris: ["note", "File"] });
    for (const uri of ["http://x/", "one", "//x", "no te://x", "javascript:1"]) {
      const refused = resources.read({ ...target, uri });
      await expect(refused).rejects.toMatchObject({ code: "not_allowed", outcome: "not-sent" });
      await expect(resources.subscribe({ serverId: "a", uri }, () => {})).rejects.toThrow(
        /this host allows \(allowedUris/,
      );
    }
    expect([server("a").sessions, provider.statuses()[0]?.attempts]).toEqual([0, 0]);
    expect(resources.stats().servers).toEqual([{ serverId: "a", cacheHits: 0, cacheMisses: 0, refusedUris: 10 }]);
    for (const uri of ["NOTE://x", "file:///x", "File:x"]) await resources.read({ ...target, uri });
    expect(server("a").asked).toHaveLength(3);
  });

  it.each([undefined, []])("lets all schemes through where none are named: %j", async (allowedUris) => {
    const { resources, server } = createWorld({ allowedUris });
    for (const uri of ["http://x/", "one", "javascript:1"]) await resources.read({ ...target, uri });
    expect(server("a").asked.map(({ params }) => params["uri"])).toEqual(["http://x/", "one", "javascript:1"]);
  });

  it.each([
    `note://${"x".repeat(1e6)}`,
    "note://a\nb",
    "note://a\tb",
    "note://a\u0000b",
    "note://a\u001B[31mb",
    "note://a\u0085b",
    "note://\uD800",
  ])("sends no URI like %j", async (uri) => {
    const { resources, server } = createWorld();
    const refused = await resources.read({ ...target, uri }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" });
    expect(String(refused).length).toBeLessThan(400);
    expect(server("a").sessions).toBe(0);
  });

  it("sends a URI byte for byte as it is, and resolves none", async () => {
    const { resources, server } = createWorld();
    const uris = ["file:///etc/../etc/passwd", "http://169.254.169.254/", "note://ü b%20c", "__proto__"];
    for (const uri of uris) await resources.read({ ...target, uri });
    expect(server("a").asked.map(({ params }) => params["uri"])).toEqual(uris);
  });

  it.each<[HostsideErrorCode, "failed" | "unknown" | "not-sent", number]>([
    ["session_expired", "failed", 2],
    ["session_expired", "unknown", 2],
    ["connection_closed", "unknown", 2],
    ["connection_closed", "not-sent", 2],
    ["server_exited", "unknown", 2],
    ["unsupported_protocol", "failed", 2],
    ["server_removed", "not-sent", 2],
    ["server_removed", "unknown", 1],
    ["server_error", "failed", 1],
    ["http_error", "unknown", 1],
    ["request_timeout", "unknown", 1],
    ["message_too_large", "unknown", 1],
    ["protocol_error", "unknown", 1],
    ["auth_required", "failed", 1],
    ["rate_limited", "failed", 1],
    ["call_refused", "not-sent", 1],
    ["closed", "unknown", 1],
  ])("is asked again after %s (%s): %i times in all, never three", async (code, outcome, times) => {
    const { resources, server } = createWorld();
    let answer = (): Promise<JsonValue> => {
      // More would be one too many, and must end, too.
      if (server("a").asked.length > 4) return Promise.resolve({ contents: [] });
      return Promise.reject(new HostsideError("no", { code, outcome, serverId: "a" }));
    };
    server("a").answer = () => answer();
    // What closed can be the connection alone here.
    const thrown = { code: code === "closed" ? "server_removed" : code, outcome };
    await expect(resources.read(target)).rejects.toMatchObject(thrown);
    expect(server("a").asked).toHaveLength(times);
    answer = async () => {
      answer = async () => ({ contents: [] });
      throw new HostsideError("no", { code, outcome, serverId: "a" });
    };
    const read = await resources.read(target).catch((error: unknown) => error);
    expect(read).toMatchObject(times === 2 ? { contents: [] } : thrown);
  });

  it("has one time for both tries and the reconnect between them", async () => {
    const { resources, server, clock } = createWorld();
    server("a").answer = async () => {
      clock.advance(600);
      server("a").crash();
      return new Promise(() => {});
    };
    const work = resources.read(target, { timeoutMs: 1000 });
    const failed = failureOf(work);
    await settle();
    clock.advance(1000);
    expect(await failed).toMatchObject({ code: "request_timeout", details: { timeoutMs: 1000 } });
    expect(server("a").asked.length).toBeLessThanOrEqual(2);
  });

  it.each(["abort", "time", "close"] as const)("is cancelled on the wire by %s", async (how) => {
    const { resources, server, clock } = createWorld();
    server("a").answer = () => new Promise(() => {});
    const stop = new AbortController();
    const work = resources.read(target, { signal: stop.signal });
    const code = { abort: "aborted", time: "request_timeout", close: "closed" }[how];
    const failed = failureOf(work);
    await settle();
    if (how === "abort") stop.abort("enough");
    if (how === "time") clock.advance(60_000);
    if (how === "close") await resources.close();
    expect(await failed).toMatchObject({ code, outcome: "unknown" });
    expect(server("a").asked[0]?.signal?.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it("starts nothing for somebody who has left already", async () => {
    const { resources, server } = createWorld();
    await expect(resources.read(target, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
      outcome: "not-sent",
    });
    expect(server("a").sessions).toBe(0);
  });

  it.each<[unknown, object]>([
    ["note://one", {}],
    [{ serverId: "a" }, {}],
    [{ serverId: 7, uri: "note://one" }, {}],
    [{ serverId: "a", uri: "" }, {}],
    [target, { uri: "note://one" }],
    [target, { timeoutMs: -1 }],
  ])("refuses %j with %j", async (wrong, options) => {
    const { resources } = createWorld();
    await expect(resources.read(wrong as typeof target, options)).rejects.toThrow(TypeError);
  });
});

describe("createResources()", () => {
  it.each<[object, string]>([
    [{ schemes: ["file"] }, "schemes"],
    [{ allowedUris: "file" }, "allowedUris"],
    [{ allowedUris: ["//x"] }, "allowedUris"],
    [{ allowedUris: [""] }, "allowedUris"],
    [{ cache: { ttl: 1 } }, "ttl"],
    [{ cache: { ttlMs: 0 } }, "cache.ttlMs"],
    [{ cache: { maxEntries: 0 } }, "cache.maxEntries"],
  ])("refuses %j", (options, place) => {
    expect(() => createWorld(options)).toThrow(TypeError);
    expect(() => createWorld(options)).toThrow(place);
  });

  it.each([undefined, null, {}])("refuses %j as a provider", (provider) => {
    expect(() => Reflect.apply(createResources, undefined, [provider])).toThrow(
      /^createResources\(\) needs a provider/,
    );
  });

  it("asks nobody before it is asked", async () => {
    const { server, clock } = createWorld();
    await settle();
    expect([server("a").sessions, clock.pending()]).toEqual([0, 0]);
    expect(listing()).toBeTypeOf("function");
  });
});
