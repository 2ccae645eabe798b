import type { LookupAddress } from "node:dns";
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from "node:net";
import { HostsideError, type ConnectionGuard, type GuardRefusal } from "@hostside/core";
import { afterEach, describe, expect, it } from "vitest";
import { reply as answer, startLoopback, type LoopbackServer } from "../../../test/loopback-server.ts";
import { createFetchExchange } from "./fetch-exchange.ts";
import { asksForAddresses, type LookupAll, createDefaultExchange } from "./node-exchange.ts";
import { createHttpGuard, type HttpGuard } from "./http-guard.ts";
import type { HttpClient } from "./http-exchange.ts";

const exchanges: HttpClient[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

const no: GuardRefusal = { reason: "because", rule: "test" };

/** What a guard was asked. */
interface Asked {
  readonly urls: string[];
  readonly addresses: (string | undefined)[];
}

/** Allows all but the addresses that are named; `"unknown"` is one that nobody tells. */
function guardAgainst(refused: readonly string[], asked: Asked = { urls: [], addresses: [] }): HttpGuard {
  const guard: ConnectionGuard = {
    checkUrl: ({ href }) => void asked.urls.push(href),
    checkAddress(address) {
      asked.addresses.push(address);
      return refused.includes(address ?? "unknown") ? no : undefined;
    },
    checkCommand: () => no,
  };
  return createHttpGuard(guard, { serverId: "web" }, "http://mcp.example");
}

/**
 * Names that have, at each lookup, the next of these lists of addresses; the last one from then on.
 */
function createDns(...answers: readonly (readonly string[])[]): {
  readonly lookup: LookupAll;
  readonly names: string[];
} {
  const names: string[] = [];
  return {
    names,
    lookup(hostname, options, callback) {
      expect(options.all).toBe(true);
      const addresses = answers[Math.min(names.push(hostname), answers.length) - 1] ?? [];
      const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      process.nextTick(callback, null, found);
    },
  };
}

function open(guard: HttpGuard | undefined, lookup: LookupAll): HttpClient {
  const exchange = createDefaultExchange({ serverId: "web", guard, lookup });
  exchanges.push(exchange);
  return exchange;
}

const urlOf = ({ url }: LoopbackServer, host = "mcp.example"): URL => new URL(url.replace("127.0.0.1", host));
const serve = (): Promise<LoopbackServer> => startLoopback((_request, response) => answer(response, 200, {}));

/** The status of the reply, or what it failed with. */
async function get(exchange: HttpClient, url: URL, headers: Record<string, string> = {}): Promise<unknown> {
  try {
    const reply = await exchange.start({ method: "GET", url, headers }).reply;
    await reply.read(() => undefined);
    return reply.status;
  } catch (error) {
    return error;
  }
}

describe("the address of a name", () => {
  it("is the one that is connected to, and is refused in that step: nothing is sent", async () => {
    await using server = await serve();
    const dns = createDns(["127.0.0.1"]);
    const error = await get(open(guardAgainst(["127.0.0.1"]), dns.lookup), urlOf(server));
    expect(error).toMatchObject({
      code: "not_allowed",
      serverId: "web",
      outcome: "not-sent",
      retryable: false,
      rawMessage: `server "web": connecting to ${urlOf(server).origin} is not allowed: because`,
      details: { policy: "test" },
    });
    expect([server.seen.length, dns.names]).toEqual([0, ["mcp.example"]]);
  });

  it("that is another the second time changes nothing, because each connection looks it up once and asks", async () => {
    await using server = await serve();
    const dns = createDns(["127.0.0.1"], ["127.0.0.66"], ["127.0.0.1"]);
    const asked: Asked = { urls: [], addresses: [] };
    const exchange = open(guardAgainst(["127.0.0.66"], asked), dns.lookup);
    const once = { connection: "close" };
    expect(await get(exchange, urlOf(server), once)).toBe(200);
    expect(await get(exchange, urlOf(server), once)).toMatchObject({ code: "not_allowed", outcome: "not-sent" });
    expect(await get(exchange, urlOf(server), once)).toBe(200);
    expect(asked.addresses).toEqual(["127.0.0.1", "127.0.0.66", "127.0.0.1"]);
    expect([dns.names.length, server.seen.length]).toEqual([3, 2]);
  });

  it("is checked once for a connection that is kept", async () => {
    await using server = await serve();
    const dns = createDns(["127.0.0.1"]);
    const asked: Asked = { urls: [], addresses: [] };
    const exchange = open(guardAgainst([], asked), dns.lookup);
    expect([await get(exchange, urlOf(server)), await get(exchange, urlOf(server))]).toEqual([200, 200]);
    expect([dns.names.length, asked.addresses.length, asked.urls.length]).toEqual([1, 1, 2]);
  });

  it("is one of those that are allowed, where a name has several", async () => {
    await using server = await serve();
    const mixed = createDns(["127.0.0.66", "127.0.0.1", "127.0.0.67"]);
    const guard = guardAgainst(["127.0.0.66", "127.0.0.67"]);
    expect(await get(open(guard, mixed.lookup), urlOf(server))).toBe(200);
    const refused = createDns(["127.0.0.66", "127.0.0.67"]);
    expect(await get(open(guard, refused.lookup), urlOf(server))).toMatchObject({ code: "not_allowed" });
    expect(server.seen).toHaveLength(1);
  });

  it("is none of those that are refused, though nobody answers at the others", async () => {
    await using server = await serve();
    const dns = createDns(["127.0.0.1", "127.0.0.66"]);
    expect(await get(open(guardAgainst(["127.0.0.1"]), dns.lookup), urlOf(server))).toMatchObject({
      code: "unreachable",
    });
    expect(server.seen).toEqual([]);
  });

  it("may be the next one when the first that is allowed does not answer", async () => {
    await using server = await serve();
    const dns = createDns(["127.0.0.66", "::1", "127.0.0.1"]);
    expect(await get(open(guardAgainst(["127.0.0.66"]), dns.lookup), urlOf(server))).toBe(200);
  });

  it("is checked as well where Node tries no second one", async () => {
    await using server = await serve();
    const before = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(false);
    try {
      const guard = guardAgainst(["127.0.0.66"]);
      expect(await get(open(guard, createDns(["127.0.0.66", "127.0.0.1"]).lookup), urlOf(server))).toBe(200);
      const refused = get(open(guard, createDns(["127.0.0.66"]).lookup), urlOf(server));
      expect(await refused).toMatchObject({ code: "not_allowed" });
    } finally {
      setDefaultAutoSelectFamily(before);
    }
  });

  it("that does not exist is dns_failed", async () => {
    await using server = await serve();
    expect(await get(open(guardAgainst([]), createDns([]).lookup), urlOf(server))).toMatchObject({
      code: "dns_failed",
    });
    const failing: LookupAll = (_hostname, _options, callback) =>
      process.nextTick(callback, Object.assign(new Error("no"), { code: "ENOTFOUND" }), []);
    expect(await get(open(guardAgainst([]), failing), urlOf(server))).toMatchObject({ code: "dns_failed" });
  });

  it("is not looked up by anything of ours without a guard", async () => {
    await using server = await serve();
    const dns = createDns([]);
    expect(await get(open(undefined, dns.lookup), urlOf(server, "localhost"))).toSatisfy(
      (result) => result === 200 || result instanceof HostsideError,
    );
    expect(dns.names).toEqual([]);
  });
});

describe("an address in the URL itself", () => {
  it.each(["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "１２７.0.0.1"])(
    "is asked for as %s, though nothing is looked up",
    async (spelling) => {
      await using server = await serve();
      const dns = createDns(["127.0.0.1"]);
      const asked: Asked = { urls: [], addresses: [] };
      const error = await get(open(guardAgainst(["127.0.0.1"], asked), dns.lookup), urlOf(server, spelling));
      expect(error).toMatchObject({ code: "not_allowed", outcome: "not-sent" });
      expect([asked.addresses, dns.names, server.seen]).toEqual([["127.0.0.1"], [], []]);
    },
  );

  it.each([
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["[0:0:0:0:0:0:0:1]", "::1"],
  ])("is asked for as %s", async (spelling, address) => {
    await using server = await serve();
    expect(await get(open(guardAgainst([address]), createDns([]).lookup), urlOf(server, spelling))).toMatchObject({
      code: "not_allowed",
    });
    expect(server.seen).toEqual([]);
  });
});

describe("a URL that is refused", () => {
  const guard: ConnectionGuard = { checkUrl: () => no, checkAddress: () => undefined, checkCommand: () => undefined };

  it("is not looked up, not fetched, and named without its path, query and user info", async () => {
    const dns = createDns(["127.0.0.1"]);
    const httpGuard = createHttpGuard(guard, { serverId: "web" }, "https://mcp.example:8443/own");
    const url = new URL("https://user:s3cret@mcp.example:8443/t0ken?key=s3cret");
    const message = '[not_allowed] server "web": connecting to https://mcp.example:8443 is not allowed: because';
    const fetched: string[] = [];
    const portable = createFetchExchange(
      async (href) => {
        fetched.push(href);
        return new Response();
      },
      { serverId: "web", guard: httpGuard },
    );
    for (const exchange of [open(httpGuard, dns.lookup), portable])
      expect(await get(exchange, url)).toMatchObject({ message, details: { field: "url", policy: "test" } });
    expect([dns.names, fetched]).toEqual([[], []]);
  });

  it("is no field of the spec where it leads elsewhere", async () => {
    const httpGuard = createHttpGuard(guard, { serverId: "web" }, "https://mcp.example");
    expect(httpGuard.refuseUrl(new URL("https://auth.example"))?.details).toEqual({ policy: "test" });
  });
});

describe("a guard that fails", () => {
  it.each([
    ["throws", () => expect.fail("no idea")],
    ["answers a text", () => "no"],
    ["answers false", () => false],
    ["answers a promise", () => Promise.resolve()],
    ["answers without a reason", () => ({ rule: "x" })],
  ])("by one that %s lets nothing through: internal_error, not-sent", async (_what, faulty) => {
    await using server = await serve();
    // Whoever writes JavaScript can return anything.
    const check = faulty as never;
    const sound = { checkUrl: () => undefined, checkAddress: () => undefined, checkCommand: () => undefined };
    for (const guard of [
      { ...sound, checkUrl: check },
      { ...sound, checkAddress: check },
    ]) {
      const httpGuard = createHttpGuard(guard, { serverId: "web" }, "https://mcp.example");
      const exchange = open(httpGuard, createDns(["127.0.0.1"]).lookup);
      const failure = { code: "internal_error", outcome: "not-sent", serverId: "web" };
      expect(await get(exchange, urlOf(server))).toMatchObject(failure);
      expect(await get(exchange, new URL(server.url))).toMatchObject(failure);
    }
    expect(server.seen).toEqual([]);
  });
});

describe("a fetch, which does not say where it connects to", () => {
  it("is used only if the guard takes an address that is not known", async () => {
    const fetched: string[] = [];
    const openPortable = (guard: HttpGuard): HttpClient =>
      createFetchExchange(
        async (href) => {
          fetched.push(href);
          return new Response();
        },
        { serverId: "web", guard },
      );
    const url = new URL("https://mcp.example/");
    expect(await get(openPortable(guardAgainst(["unknown"])), url)).toMatchObject({ code: "not_allowed" });
    expect(fetched).toEqual([]);
    expect(await get(openPortable(guardAgainst([])), url)).toBe(200);
    expect(await get(openPortable(guardAgainst(["unknown"])), new URL("https://192.0.2.1/"))).toBe(200);
    expect(await get(openPortable(guardAgainst(["192.0.2.1"])), new URL("https://192.0.2.1/"))).toMatchObject({
      code: "not_allowed",
    });
    expect(fetched).toEqual(["https://mcp.example/", "https://192.0.2.1/"]);
  });
});

describe("asksForAddresses()", () => {
  it("is true for Node, and not for what else has its modules", () => {
    expect([asksForAddresses(), asksForAddresses({ node: "22.0.0", bun: "1.2.0" })]).toEqual([true, false]);
    expect(asksForAddresses({ node: "22.0.0", deno: "2.1.0" })).toBe(false);
  });
});
