import { describe, expect, it } from "vitest";
import { useVirtualClock } from "../../provider/test/simulation/virtual-clock.ts";
import { createBoundedFetch, learnSecrets, type BoundedFetchInit } from "./bounded-fetch.ts";
import type { ConnectionGuard } from "./connection-guard.ts";
import type { HostsideError } from "./hostside-error.ts";
import { createSecretMemory } from "./redaction.ts";
import type { AuthorizationFetch } from "./server-credentials.ts";

function createWorld(fetch: AuthorizationFetch, options: Partial<BoundedFetchInit> = {}) {
  const clock = useVirtualClock();
  const close = new AbortController();
  const server = { serverId: "notes", principal: "ann" };
  const bounded = createBoundedFetch({ fetch, closing: close.signal, server, ...options });
  /** What a request fails with, beneath the `TypeError` of every `fetch`. */
  const causeOf = async (work: Promise<unknown>): Promise<Partial<HostsideError>> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    return error instanceof Error && error.cause instanceof Error ? error.cause : {};
  };
  return { clock, close, bounded, causeOf };
}

const post = { method: "POST", body: "a=b" };

describe("createBoundedFetch()", () => {
  it.each([
    ["https://as.example/token", true],
    ["http://localhost:8080/token", true],
    ["http://127.1.2.3/token", true],
    ["http://[::1]:9/token", true],
    ["http://0x7f.1/token", true],
    ["http://as.example/token", false],
    ["http://localhost.evil.example/token", false],
    ["http://127.0.0.1.evil.example/", false],
    ["ftp://as.example/token", false],
    ["data:application/json,{}", false],
    ["file:///etc/passwd", false],
  ])("sends to %s: %s", async (url, isSent) => {
    const sent: string[] = [];
    const { bounded, causeOf } = createWorld(async (target) => {
      sent.push(String(target));
      return new Response("{}");
    });
    const code = await bounded(url).then(
      () => undefined,
      async (error: unknown) => (await causeOf(Promise.reject(error as Error))).code,
    );
    expect([code, sent.length]).toEqual(isSent ? [undefined, 1] : ["invalid_spec", 0]);
  });

  it("fails a POST that is redirected, and says of a GET no more than its status", async () => {
    const redirects: unknown[] = [];
    const { bounded, causeOf } = createWorld(async (_, init) => {
      redirects.push(init?.redirect);
      return new Response("", { status: 307, headers: { location: "https://evil.example/" } });
    });
    expect((await causeOf(bounded("https://as.example/token", post))).code).toBe("redirect_refused");
    const response = await bounded("https://as.example/x");
    expect([response.status, response.headers.get("location")]).toEqual([307, null]);
    expect(redirects).toEqual(["manual", "manual"]);
  });

  it("hands on when to come again, and what OAuth needs of the headers", async () => {
    const headers = { "retry-after": "7", "dpop-nonce": "n", "set-cookie": "a=b", "content-type": "application/json" };
    const { bounded } = createWorld(async () => new Response("{}", { status: 429, headers }));
    const response = await bounded("https://as.example/token", post);
    expect(Object.fromEntries(response.headers)).toEqual({
      "retry-after": "7",
      "dpop-nonce": "n",
      "content-type": "application/json",
    });
  });

  it.each([
    ["more than 1 MiB", 2 * 1024 * 1024, true],
    ["1 MiB", 1024 * 1024, false],
  ])("reads %s", async (_, length, isTooMuch) => {
    let cancelled = false;
    const { bounded, causeOf } = createWorld(async () => {
      let left = length;
      return new Response(
        new ReadableStream({
          pull(controller) {
            const size = Math.min(left, 65_536);
            left -= size;
            if (size > 0) controller.enqueue(new Uint8Array(size).fill(97));
            else controller.close();
          },
          cancel: () => void (cancelled = true),
        }),
      );
    });
    const end = await bounded("https://as.example/x").then(
      async (response) => (await response.text()).length,
      async (error: unknown) => (await causeOf(Promise.reject(error as Error))).code,
    );
    expect([end, cancelled]).toEqual(isTooMuch ? ["message_too_large", true] : [length, false]);
  });

  it.each([
    ["does not answer", () => new Promise<Response>(() => {})],
    ["does not end its answer", async () => new Response(new ReadableStream({}))],
  ])("gives up after 30 s on who %s", async (_, fetch) => {
    const { bounded, causeOf, clock } = createWorld(fetch);
    const cause = causeOf(bounded("https://as.example/x"));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    expect((await cause).code).toBe("request_timeout");
    expect(clock.pending).toBe(0);
  });

  it("ends with the caller's signal, and with close()", async () => {
    const { bounded, clock, close } = createWorld(() => new Promise(() => {}));
    const caller = new AbortController();
    const first = bounded("https://as.example/x", { signal: caller.signal });
    const second = bounded("https://as.example/x");
    caller.abort(new Error("enough"));
    await expect(first).rejects.toMatchObject({ message: "enough" });
    close.abort(new Error("closed"));
    await expect(second).rejects.toMatchObject({ cause: { message: "closed" } });
    await expect(bounded("https://as.example/x")).rejects.toMatchObject({ cause: { message: "closed" } });
    expect(clock.pending).toBe(0);
  });

  it("asks the guard about the URL and about an address in it, and believes in no guard that fails", async () => {
    const asked: unknown[] = [];
    const guard: ConnectionGuard = {
      checkUrl: (url, server) => void asked.push([url.host, server]),
      checkAddress(address) {
        asked.push(address);
        if (address === "10.0.0.1") return { reason: "is a private address", rule: "private" };
        if (address === "::1") throw new Error("broken");
        return undefined;
      },
      checkCommand: () => undefined,
    };
    const { bounded, causeOf } = createWorld(async () => new Response("{}"), { guard });
    await bounded("https://as.example/x");
    expect(asked).toEqual([["as.example", { serverId: "notes", principal: "ann" }], undefined]);
    expect(await causeOf(bounded("https://10.0.0.1/x"))).toMatchObject({ code: "not_allowed", outcome: "not-sent" });
    expect((await causeOf(bounded("https://[::1]/x"))).code).toBe("internal_error");
  });

  it("reads no body where only the head is wanted", async () => {
    let cancelled = false;
    const stream = new ReadableStream({ cancel: () => void (cancelled = true) });
    const { bounded } = createWorld(
      async () => new Response(stream, { status: 401, headers: { "www-authenticate": "Bearer" } }),
      {
        reads: "head",
      },
    );
    const response = await bounded("https://mcp.example/mcp", post);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(cancelled).toBe(true);
  });
});

describe("learnSecrets()", () => {
  it("has masked what is sent and what is answered", async () => {
    const secrets = createSecretMemory();
    const answer = { access_token: "access-secret", refresh_token: "refresh-secret", scope: "not-a-secret" };
    const fetch = learnSecrets(async () => Response.json(answer, { status: 201 }), secrets);
    const response = await fetch("https://as.example/token", {
      method: "POST",
      headers: { authorization: "Basic Y2xpZW50OnNlY3JldA==", dpop: "proof-of-a-key" },
      body: new URLSearchParams({
        code: "code-secret",
        code_verifier: "verifier-secret",
        grant_type: "authorization_code",
      }),
    });
    expect([response.status, await response.json()]).toEqual([201, answer]);
    for (const secret of [
      "access-secret",
      "refresh-secret",
      "code-secret",
      "verifier-secret",
      "proof-of-a-key",
      "Y2xpZW50OnNlY3JldA==",
    ]) {
      expect(secrets.redact(`<${secret}>`)).toBe("<[redacted]>");
    }
    expect(secrets.redact("not-a-secret authorization_code")).toBe("not-a-secret authorization_code");
  });
});
