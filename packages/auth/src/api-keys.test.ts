import { HostsideError, type AuthorizationRequest, type ServerCredentials } from "@hostside/core";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApiKeys, firstAuthProvider, type ApiKeysOptions } from "./api-keys.ts";
import type { PrincipalServer } from "./oauth-options.ts";

type CredentialsRefusal = Parameters<ServerCredentials["onRefused"]>[0];

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
    const asked: PrincipalServer[] = [];
    const keyFor = (server: PrincipalServer): string => {
      asked.push(server);
      return " k-1\n";
    };
    expect(await credentialsOf(keyFor).headersFor(sending)).toEqual({ authorization: "Bearer k-1" });
    expect(await credentialsOf(keyFor, { header: "X-API-Key" }).headersFor(sending)).toEqual({ "x-api-key": "k-1" });
    const header = ({ serverId }: PrincipalServer): string => `x-${serverId}`;
    expect(await credentialsOf(keyFor, { header }).headersFor(sending)).toEqual({ "x-s": "k-1" });
    expect(asked[0]).toEqual({ serverId: "s", url, principal: "ann" });
    expect(await credentialsOf(() => undefined).headersFor(sending)).toEqual({});
  });

  it.each([
    [401, "auth_required", "was refused"],
    [403, "forbidden", "does not allow this"],
  ] as const)(
    "ends in %s -> %s when there is no other key, and asks anew the next time",
    async (status, code, words) => {
      let key = "k-1";
      const keys = credentialsOf(() => key);
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
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answers = [new Promise<string>(() => undefined), "k-2"];
    const keys = credentialsOf(() => answers.shift());
    const waiting = keys.headersFor(sending).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await waiting).toMatchObject({ code: "store_failed", retryable: true, outcome: "not-sent" });
    expect(await keys.headersFor(sending)).toEqual({ authorization: "Bearer k-2" });
  });

  it.each([[{ keyFor, refresh: 1 }, '"refresh"']])("refuses %j", (options, words) => {
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
  });
});
