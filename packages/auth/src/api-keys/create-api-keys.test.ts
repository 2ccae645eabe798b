import {
  HostsideError,
  type AuthorizationRequest,
  type CredentialsRefusal,
  type ServerCredentials,
} from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstAuthProvider } from "../first-auth-provider.ts";
import type { ApiKeysOptions, KeyedServer } from "./api-keys.ts";
import { createApiKeys } from "./create-api-keys.ts";

const url = "https://keys.test/mcp";
const http = { type: "http", url, auth: "api-key" } as const;
const spec = { id: "s", ...http } as const;
const request = (principal?: string): AuthorizationRequest => ({
  principal,
  interactive: false,
  fetch: () => Promise.reject(new Error("nothing is fetched")),
});
const keyFor = (): string => "k";
const sending = { method: "POST", url: new URL(url) };
const refusalOf = (sent: Readonly<Record<string, string>>, status: 401 | 403 = 401): CredentialsRefusal => ({
  status,
  challenge: undefined,
  request: sending,
  sent,
  interactive: false,
  signal: new AbortController().signal,
});

function credentialsOf(keyFor: ApiKeysOptions["keyFor"], options: Partial<ApiKeysOptions> = {}): ServerCredentials {
  const credentials = createApiKeys({ ...options, keyFor }).authProvider(spec, request("ann"));
  if (credentials === undefined) throw new TypeError("no credentials");
  return credentials;
}

function createSteppedClock() {
  let now = 0;
  const due = new Set<() => void>();
  return {
    now: () => now,
    schedule(_delayMs: number, run: () => void) {
      due.add(run);
      return () => void due.delete(run);
    },
    pass(ms: number) {
      now += ms;
    },
    /** Runs all that is scheduled. */
    ring() {
      for (const run of due) run();
    },
  };
}

describe("createApiKeys()", () => {
  it("answers for servers of auth api-key alone, with one object for each server and principal", () => {
    const { authProvider } = createApiKeys({ keyFor: () => "k" });
    const others = [
      { type: "stdio", command: "a" },
      { ...http, auth: "oauth" },
      { type: "http", url },
    ] as const;
    for (const transport of others) expect(authProvider({ id: "s", ...transport }, request())).toBeUndefined();
    const one = authProvider(spec, request("ann"));
    expect(authProvider(spec, request("ann"))).toBe(one);
    expect(authProvider(spec, request("bob"))).not.toBe(one);
    expect(authProvider(spec, request())).not.toBe(one);
    expect(authProvider({ ...spec, id: "t" }, request("ann"))).not.toBe(one);
    const elsewhere = { ...spec, ...http, url: "https://else.test/" };
    expect(authProvider(elsewhere, request("ann"))).not.toBe(one);
  });

  it("says for whom it wants a key, and sends it as it is said", async () => {
    const asked: KeyedServer[] = [];
    const keyFor = (server: KeyedServer): string => {
      asked.push(server);
      return " k-1\n";
    };
    expect(await credentialsOf(keyFor).headersFor(sending)).toEqual({ authorization: "Bearer k-1" });
    expect(await credentialsOf(keyFor, { header: "X-API-Key" }).headersFor(sending)).toEqual({ "x-api-key": "k-1" });
    const header = ({ serverId }: KeyedServer): string => `x-${serverId}`;
    expect(await credentialsOf(keyFor, { header }).headersFor(sending)).toEqual({ "x-s": "k-1" });
    expect(asked[0]).toEqual({ serverId: "s", url, principal: "ann" });
    expect(await credentialsOf(() => undefined).headersFor(sending)).toEqual({});
  });

  it("asks once for all that want a key at the same time, and again for the next", async () => {
    let asked = 0;
    const keys = credentialsOf(async () => `k-${(asked += 1)}`);
    const first = await Promise.all([1, 2, 3].map(() => keys.headersFor(sending)));
    expect(new Set(first.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer k-1"]));
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-2" });
  });

  it("uses a key for as long as it may, unless it is refused or cleared", async () => {
    const clock = createSteppedClock();
    let asked = 0;
    const keys = credentialsOf(() => `k-${(asked += 1)}`, { clock, refreshMs: 1000 });
    const sent = await keys.headersFor(sending);
    clock.pass(999);
    expect(await keys.headersFor(sending)).toBe(sent);
    clock.pass(1);
    const second = await keys.headersFor(sending);
    expect(second).toEqual({ authorization: "Bearer k-2" });
    // Somebody else's is known to be newer.
    await keys.onRefused(refusalOf(sent));
    expect(asked).toBe(2);
    await keys.onRefused(refusalOf(second));
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-3" });
    await keys.clear?.();
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-4" });
  });

  it("does not hold what was asked for before it was cleared", async () => {
    let give = (_key: string): void => undefined;
    const waiting = new Promise<string>((resolve) => (give = resolve));
    const answers = [waiting, "new"];
    const keys = credentialsOf(() => answers.shift(), { refreshMs: 1e9 });
    const early = keys.headersFor(sending);
    await keys.clear?.();
    give("old");
    expect(await early).toEqual({ authorization: "Bearer old" });
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer new" });
  });

  it.each([
    [401, "auth_required", "was refused"],
    [403, "forbidden", "does not allow this"],
  ] as const)(
    "ends in %s -> %s when there is no other key, and asks anew the next time",
    async (status, code, words) => {
      let key = "k-1";
      const keys = credentialsOf(() => key, { refreshMs: 1e9 });
      const sent = await keys.headersFor(sending);
      const refused = keys.onRefused(refusalOf(sent, status));
      await expect(refused).rejects.toMatchObject({ code, serverId: "s", outcome: "failed" });
      await expect(refused).rejects.toThrow(`the key for server "s" and principal "ann" ${words}`);
      key = "k-2";
      expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-2" });
      await keys.onRefused(refusalOf(sent, status));
    },
  );

  it("says that there is no key when there is none", async () => {
    const keys = credentialsOf(() => undefined);
    await expect(keys.onRefused(refusalOf({}))).rejects.toThrow('there is no key for server "s" and principal "ann"');
  });

  it("never takes a key for refused that was replaced in between", async () => {
    // Whenever the key is replaced, and whatever is under way then: after a refusal of the old one
    // comes the new one.
    const property = fc.asyncProperty(fc.scheduler(), fc.integer({ min: 0, max: 4 }), async (scheduler, wanted) => {
      let key = "old";
      const keys = credentialsOf(async () => {
        const given = key;
        await scheduler.schedule(Promise.resolve(), "answers");
        return given;
      });
      const askers = Array.from({ length: wanted }, () =>
        scheduler.schedule(Promise.resolve(), "wants").then(() => keys.headersFor(sending)),
      );
      const refused = scheduler
        .schedule(Promise.resolve(), "is replaced")
        .then(() => void (key = "new"))
        .then(() => scheduler.schedule(Promise.resolve(), "is refused"))
        .then(() => keys.onRefused(refusalOf({ authorization: "Bearer old" })))
        .then(() => keys.headersFor(sending));
      await scheduler.waitFor(Promise.all([...askers, refused]));
      expect(await refused).toEqual({ authorization: "Bearer new" });
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it.each<{ what: string; keyFor: ApiKeysOptions["keyFor"]; code: string; words: string }>([
    { what: "blank", keyFor: () => " \n", code: "auth_required", words: "is blank" },
    {
      what: "that no header can carry",
      keyFor: () => "a-secret\nx",
      code: "auth_required",
      words: "no header can carry",
    },
    { what: "that is no text", keyFor: () => JSON.parse("7"), code: "internal_error", words: "no text" },
    {
      what: "that cannot be had",
      keyFor: () => Promise.reject(new Error("sealed")),
      code: "store_failed",
      words: "sealed",
    },
    {
      what: "about which the product says something itself",
      keyFor: () => Promise.reject(new HostsideError("ask Bob", { code: "auth_required" })),
      code: "auth_required",
      words: "ask Bob",
    },
  ])("sends no key $what", async ({ keyFor, code, words }) => {
    const error = await credentialsOf(keyFor)
      .headersFor(sending)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain("a-secret");
  });

  it("waits 30 s for a key, and asks again after that", async () => {
    const clock = createSteppedClock();
    const answers = [new Promise<string>(() => undefined), "k-2"];
    const keys = credentialsOf(() => answers.shift(), { clock });
    const waiting = keys.headersFor(sending);
    clock.ring();
    await expect(waiting).rejects.toMatchObject({ code: "store_failed", retryable: true, outcome: "not-sent" });
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-2" });
  });

  it.each([
    [{}, "keyFor"],
    [{ keyFor, header: "a b" }, "header"],
    [{ keyFor, refreshMs: -1 }, "refreshMs"],
    [{ keyFor, refresh: 1 }, '"refresh"'],
  ])("refuses %j", (options, words) => {
    expect(() => createApiKeys(options as never)).toThrow(TypeError);
    expect(() => createApiKeys(options as never)).toThrow(words);
  });
});

describe("firstAuthProvider()", () => {
  it("asks one after the other, and takes the first answer", () => {
    const keys = createApiKeys({ keyFor: () => "k" });
    const own = { token: async () => "t" };
    const asked: string[] = [];
    const authProvider = firstAuthProvider(keys.authProvider, ({ id }) => {
      asked.push(id);
      return id === "mine" ? own : undefined;
    });
    expect(authProvider(spec, request())).toBe(keys.authProvider(spec, request()));
    const oauth = { ...http, auth: "oauth" } as const;
    expect(authProvider({ id: "mine", ...oauth }, request())).toBe(own);
    expect(authProvider({ id: "else", ...oauth }, request())).toBeUndefined();
    expect(asked).toEqual(["mine", "else"]);
    expect(() => firstAuthProvider(keys as never)).toThrow(TypeError);
  });
});
