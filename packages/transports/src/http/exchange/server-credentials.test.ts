import {
  HostsideError,
  type AuthorizationRequest,
  type CredentialHeaders,
  type ServerCredentials,
} from "@hostside/core";
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { reply, startLoopback, type LoopbackServer, type SeenRequest } from "../../../test/loopback-server.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport, thrownBy, type OpenedHttp, type OpenHttpInit } from "../../../test/open-http-transport.ts";
import { clearHttpCredentials } from "../open-http.ts";

type CredentialsRefusal = Parameters<ServerCredentials["onRefused"]>[0];

/** Credentials of one key, and all that they were asked. */
interface Keyring extends ServerCredentials {
  key: string;
  readonly asked: string[];
  readonly refusals: CredentialsRefusal[];
}

function createKeyring(key: string, onRefused?: (refusal: CredentialsRefusal) => unknown): Keyring {
  const asked: string[] = [];
  const refusals: CredentialsRefusal[] = [];
  const keyring: Keyring = {
    key,
    asked,
    refusals,
    async headersFor({ method, url }): Promise<CredentialHeaders> {
      asked.push(`${method} ${url.pathname}`);
      return keyring.key === "" ? {} : { Authorization: `DPoP ${keyring.key}`, DPoP: `proof-${asked.length}` };
    },
    async onRefused(refusal) {
      refusals.push(refusal);
      await onRefused?.(refusal);
    },
  };
  return keyring;
}

const noMoreKeys = (): never => {
  throw new HostsideError("sign in first", { code: "auth_required" });
};

const keyOf = ({ headers }: SeenRequest): string => headers.authorization?.replace(/^DPoP /, "") ?? "";

/** A server that lets the key "good" in, and refuses others as it is said. */
function startGuarded(
  refuse: (response: ServerResponse, request: SeenRequest) => void = (response) => reply(response, 401),
): Promise<LoopbackServer> {
  return startLoopback((request, response) => {
    if (keyOf(request) !== "good") return refuse(response, request);
    if (request.httpMethod !== "POST") return reply(response, 405);
    return reply(response, 200, { jsonrpc: "2.0", id: request.message["id"], result: {} });
  });
}

function open(
  server: LoopbackServer,
  credentials: ServerCredentials,
  init: Partial<OpenHttpInit> = {},
): Promise<OpenedHttp> {
  return openHttpTransport({ url: server.url, transport: { auth: "oauth" }, authProvider: () => credentials, ...init });
}

describe("credentials of a server", () => {
  it.each(["oauth", "api-key"] as const)("are asked for before each request of a server with auth %s", async (auth) => {
    await using server = await startGuarded();
    const keyring = createKeyring("good");
    await using web = await open(server, keyring, { transport: { auth } });
    await web.handshake();
    await web.request(1);
    // The notifications' stream is opened once the session is.
    await expect.poll(() => server.methods()).toContain("GET");
    expect(keyring.asked.toSorted()).toEqual([...Array<string>(3).fill("POST /mcp"), "GET /mcp"].toSorted());
    expect(server.seen.map(({ headers }) => String(headers["dpop"])).toSorted()).toEqual(
      [1, 2, 3, 4].map((count) => `proof-${count}`),
    );
    expect(keyring.refusals).toEqual([]);
  });

  it("are asked for the streams, the messages and the end of an old HTTP+SSE server as well", async () => {
    await using server = await startLoopback(({ httpMethod }, response) => {
      if (httpMethod === "POST") return reply(response, 202);
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /messages\n\n");
    });
    const keyring = createKeyring("good");
    await using web = await open(server, keyring, { channel: "sse" });
    await web.transport.start();
    await web.notify("notifications/initialized");
    expect(keyring.asked).toEqual(["GET /mcp", "POST /messages"]);
    expect(server.seen.map(keyOf)).toEqual(["good", "good"]);
  });

  it("hear of a refusal all that it said, with the very object that was sent, and answer it once", async () => {
    const challenges = ['Bearer error="invalid_token"', 'DPoP algs="ES256", error="use_dpop_nonce"'];
    await using server = await startGuarded((response) => {
      response.setHeader("www-authenticate", challenges);
      reply(response, 401);
    });
    const sent: CredentialHeaders[] = [];
    const keyring = createKeyring("old", () => void (keyring.key = "good"));
    await using web = await open(server, {
      async headersFor(request) {
        const headers = await keyring.headersFor(request);
        sent.push(headers);
        return headers;
      },
      onRefused: (refusal) => keyring.onRefused(refusal),
    });
    await web.request(1);
    expect(web.messages).toHaveLength(1);
    expect(keyring.refusals).toMatchObject([
      { status: 401, challenge: challenges.join(", "), interactive: true, request: { method: "POST" } },
    ]);
    expect(keyring.refusals[0]?.sent).toBe(sent[0]);
    expect(keyring.refusals[0]?.request.url.href).toBe(server.url);
  });

  it.each([
    { status: 401, sends: 2, code: "auth_required" },
    { status: 403, sends: 3, code: "forbidden" },
  ] as const)("are not asked again and again: HTTP $status, sent $sends times", async ({ status, sends, code }) => {
    await using server = await startGuarded((response) => reply(response, status));
    const keyring = createKeyring("old");
    await using web = await open(server, keyring);
    expect(await thrownBy(web.request(1))).toMatchObject({ code, outcome: "failed" });
    expect([server.seen.length, keyring.refusals.length]).toEqual([sends, sends - 1]);
  });

  it("answer the demand for a nonce beside another refusal, once", async () => {
    const demand = 'DPoP error="use_dpop_nonce"';
    await using server = await startGuarded((response, request) => {
      if (keyOf(request) !== "old") response.setHeader("www-authenticate", demand);
      reply(response, 401);
    });
    const answers: Record<string, string> = { old: "new", new: "good" };
    const keyring = createKeyring("old", () => void (keyring.key = answers[keyring.key] ?? keyring.key));
    await using web = await open(server, keyring);
    await web.request(1);
    expect(server.seen.map(keyOf)).toEqual(["old", "new", "good"]);
    keyring.key = "bad";
    expect(await thrownBy(web.request(2))).toMatchObject({ code: "auth_required" });
    expect(server.seen.map(keyOf).slice(3)).toEqual(["bad", "bad", "bad"]);
  });

  it("say what stands in the way, beside what the server said", async () => {
    await using server = await startGuarded((response) => {
      response.setHeader("www-authenticate", 'Bearer scope="more"');
      reply(response, 401);
    });
    await using web = await open(server, createKeyring("old", noMoreKeys), { isInteractive: false });
    expect(await thrownBy(web.request(1))).toMatchObject({
      code: "auth_required",
      rawMessage: "sign in first",
      serverId: "web",
      details: { challenge: 'Bearer scope="more"', httpStatus: 401 },
    });
  });

  it("that fail with an error of their own end in auth_required, without a secret", async () => {
    await using server = await startGuarded();
    const keyring = createKeyring("old-secret", ({ sent }) => {
      throw new RangeError(`${"no ".repeat(1000)} ${sent["Authorization"]}`);
    });
    await using web = await open(server, keyring);
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "auth_required", details: { httpStatus: 401 } });
    expect(String(error).length).toBeLessThan(500);
    const early = createKeyring("old-secret", () => {
      throw new RangeError("no: old-secret");
    });
    await using other = await open(server, early);
    expect(String(await thrownBy(other.request(1)))).toContain("RangeError: no: [redacted]");
  });

  it.each([
    ["request_timeout", "not-sent"],
    ["auth_required", "failed"],
  ] as const)("that cannot be had now leave no doubt that nothing was sent: %s", async (code, outcome) => {
    await using server = await startGuarded();
    const keyring = createKeyring("good");
    keyring.headersFor = () => Promise.reject(new HostsideError("no answer from a token endpoint", { code }));
    await using web = await open(server, keyring);
    expect(await thrownBy(web.request(1))).toMatchObject({ code, outcome, serverId: "web" });
    expect(server.seen).toEqual([]);
  });

  it("that are refused, and cannot be had now, leave no doubt either", async () => {
    await using server = await startGuarded();
    const keyring = createKeyring("old", () => {
      throw new HostsideError("no answer from a token endpoint", { code: "request_timeout" });
    });
    await using web = await open(server, keyring);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "request_timeout", outcome: "failed" });
  });

  it.each([
    ["a protocol's own header", { "mcp-session-id": "mine" }, "internal_error"],
    ["no name", { "a b": "x" }, "internal_error"],
    ["no text", { authorization: 7 }, "internal_error"],
    ["nothing", undefined, "internal_error"],
    ["a line break", { authorization: "Bearer a-secret\r\nx-b: 1" }, "auth_required"],
  ] as const)("that give %s are not sent", async (_, headers, code) => {
    await using server = await startGuarded();
    const keyring = createKeyring("good");
    keyring.headersFor = async () => headers as never;
    await using web = await open(server, keyring);
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code, outcome: "not-sent" });
    expect(String(error)).not.toContain("a-secret");
    expect(server.seen).toEqual([]);
  });

  it("are masked where the server echoes them, with their scheme and without", async () => {
    await using server = await startLoopback((request, response) =>
      response.writeHead(500, { "content-type": "text/plain" }).end(`you said ${keyOf(request)}!`),
    );
    await using web = await open(server, createKeyring("s3cret-key"));
    expect(await thrownBy(web.request(1))).toMatchObject({ details: { excerpt: "you said [redacted]!" } });
  });

  it("hear of each answer, whatever becomes of them", async () => {
    await using server = await startGuarded((response) => {
      response.setHeader("dpop-nonce", "n-1");
      reply(response, 401);
    });
    const nonces: (string | undefined)[] = [];
    const keyring = createKeyring("old", () => void (keyring.key = "good"));
    const own: ServerCredentials = {
      headersFor: (request) => keyring.headersFor(request),
      onRefused: (refusal) => keyring.onRefused(refusal),
      onAnswered(request, header) {
        nonces.push(`${request.method} ${header("DPoP-Nonce")}`);
        throw new Error("must not throw");
      },
    };
    const uncaught = vi.fn<(error: Error) => void>();
    process.on("uncaughtException", uncaught);
    try {
      await using web = await open(server, own);
      await web.request(1);
      expect(nonces).toEqual(["POST n-1", "POST undefined"]);
      expect(uncaught).toHaveBeenCalledTimes(2);
    } finally {
      process.off("uncaughtException", uncaught);
    }
  });

  it("are renewed for a stream that nobody waits for, without a user; at the end of a session they are not", async () => {
    await using server = await startLoopback((request, response) => {
      response.setHeader("mcp-session-id", "s-1");
      if (request.httpMethod === "POST")
        return reply(response, 200, { jsonrpc: "2.0", id: request.message["id"], result: {} });
      if (request.httpMethod === "DELETE" || keyOf(request) !== "good") return reply(response, 401);
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    const keyring = createKeyring("old", () => void (keyring.key = "good"));
    const web = await open(server, keyring, { isInteractive: true });
    await web.handshake();
    await expect.poll(() => server.methods().filter((method) => method === "GET")).toHaveLength(2);
    await web.transport.close();
    expect(server.methods().at(-1)).toBe("DELETE");
    expect(keyring.refusals).toMatchObject([{ status: 401, interactive: false, request: { method: "GET" } }]);
  });

  it("that a server refuses for its first stream alone are no reason to ask for one again and again", async () => {
    const clock = useManualClock();
    await using server = await startLoopback((request, response) =>
      request.httpMethod === "POST"
        ? reply(response, 200, { jsonrpc: "2.0", id: request.message["id"], result: {} })
        : reply(response, 403),
    );
    await using web = await open(server, createKeyring("good", noMoreKeys));
    await web.handshake();
    await expect.poll(() => web.diagnostics).toMatchObject([{ kind: "stream-lost" }]);
    expect(web.diagnostics[0]?.message).toContain("sign in first");
    expect(clock.pending()).toBe(0);
  });

  it("are not waited for longer than two minutes, nor by who has left", async () => {
    const clock = useManualClock();
    await using server = await startGuarded();
    const keyring = createKeyring("old", () => new Promise(() => undefined));
    await using web = await open(server, keyring);
    const bored = thrownBy(web.request(1));
    const left = thrownBy(web.request(2));
    await expect.poll(() => keyring.refusals.length).toBe(2);
    web.transport.takeBack?.(2);
    expect(await left).toMatchObject({ code: "aborted" });
    const signals = keyring.refusals.map(({ signal }) => signal);
    expect(signals.map(({ aborted }) => String(aborted)).toSorted()).toEqual(["false", "true"]);
    clock.advance(120_000);
    expect(await bored).toMatchObject({ code: "auth_required", details: { timeoutMs: 120_000 } });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it("hear again, from a user who waits, of a scope that nobody was there to grant", async () => {
    await using server = await startGuarded((response) => {
      response.setHeader("www-authenticate", 'Bearer error="insufficient_scope"');
      reply(response, 403);
    });
    const keyring = createKeyring("narrow", ({ interactive }) => {
      if (!interactive) noMoreKeys();
      keyring.key = "good";
    });
    await using call = await open(server, keyring, { isInteractive: false });
    expect(await thrownBy(call.request(1))).toMatchObject({ code: "auth_required" });
    await using later = await open(server, keyring, { isInteractive: true });
    await later.request(1);
    expect(keyring.refusals.map(({ status, interactive }) => [status, interactive])).toEqual([
      [403, false],
      [403, true],
    ]);
    expect(server.seen.map(keyOf)).toEqual(["narrow", "good"]);
  });

  it.each([Promise.resolve(createKeyring("good")), {}, "Bearer good", { headersFor: () => ({}) }])(
    "are no %o",
    async (given) => {
      const opening = openHttpTransport({
        url: "https://web.test",
        transport: { auth: "oauth" },
        authProvider: () => given as never,
      });
      expect(await thrownBy(opening)).toMatchObject({ code: "internal_error", outcome: "not-sent" });
    },
  );

  it("are cleared by whoever has them, for the principal that they are of", async () => {
    const cleared: (string | undefined)[] = [];
    const authProvider = (_spec: unknown, { principal }: AuthorizationRequest): ServerCredentials => ({
      ...createKeyring("good"),
      clear: async () => void cleared.push(principal),
    });
    for (const auth of ["oauth", "api-key"] as const) {
      const spec = { id: "web", type: "http", url: "https://web.test", auth } as const;
      await clearHttpCredentials(spec, { authProvider }, "ann");
      await clearHttpCredentials(spec, { authProvider: () => createKeyring("no clear") }, "ann");
    }
    expect(cleared).toEqual(["ann", "ann"]);
  });
});
