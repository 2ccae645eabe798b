import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { reply, startLoopback, type LoopbackServer, type SeenRequest } from "../../../test/loopback-server.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport, thrownBy, type OpenHttpInit, type OpenedHttp } from "../../../test/open-http-transport.ts";

const result = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });
const message = (value: unknown): string => `event: message\ndata: ${JSON.stringify(value)}\n\n`;

interface SseServer extends LoopbackServer {
  /** Writes on the stream. */
  say(text: string): void;
  /** Ends the stream, or breaks it. */
  end(how?: "break"): void;
  /** Where messages arrived, as path and query. */
  readonly targets: readonly string[];
}

/**
 * An HTTP+SSE server that greets as told, and answers every POST on the stream unless told
 * otherwise.
 */
async function startSse(
  greeting: string,
  onPost?: (request: SeenRequest, response: ServerResponse, server: SseServer) => void,
): Promise<SseServer> {
  let stream: ServerResponse | undefined;
  const targets: string[] = [];
  const server: SseServer = Object.assign(
    await startLoopback((request, response) => {
      if (request.httpMethod === "GET") {
        stream = response;
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.flushHeaders();
        response.write(greeting);
        return;
      }
      targets.push(response.req.url ?? "");
      if (onPost !== undefined) return onPost(request, response, server);
      reply(response, 202);
      if (request.message["id"] !== undefined) server.say(message(result(request.message["id"])));
    }),
    {
      say: (text: string) => void stream?.write(text),
      end: (how?: "break") => (how === "break" ? stream?.destroy() : stream?.end()),
      targets,
    },
  );
  return server;
}

async function open(server: LoopbackServer, init: Partial<OpenHttpInit> = {}): Promise<OpenedHttp> {
  return openHttpTransport({ url: server.url, channel: "sse", ...init });
}

async function openSseTo(server: LoopbackServer, init: Partial<OpenHttpInit> = {}): Promise<OpenedHttp> {
  const web = await open(server, init);
  await web.transport.start();
  return web;
}

const greeting = ": welcome\nretry: 5\n\nevent: ping\ndata: x\n\nevent: endpoint\ndata: /messages?session=1\n\n";

describe("the old HTTP+SSE", () => {
  it("opens a stream, learns from it where messages go, and gets its answers there", async () => {
    await using server = await startSse(greeting);
    await using web = await open(server, { transport: { bearerToken: "token" } });
    await web.transport.start();
    web.transport.setProtocolVersion?.("2024-11-05");
    await web.request(1);
    await web.notify("notifications/initialized");
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect(server.targets).toEqual(["/messages?session=1", "/messages?session=1"]);
    expect(server.seen.map(({ httpMethod, headers }) => [httpMethod, headers.accept, headers.authorization])).toEqual([
      ["GET", "text/event-stream", "Bearer token"],
      ["POST", undefined, "Bearer token"],
      ["POST", undefined, "Bearer token"],
    ]);
    expect(server.seen[1]?.headers).toMatchObject({
      "content-type": "application/json",
      "mcp-protocol-version": "2024-11-05",
    });
    expect([web.failures, web.diagnostics]).toEqual([[], []]);
  });

  it.each([
    ["/messages", "/messages"],
    ["messages?x=1", "/messages?x=1"],
    ["?session=2", "/mcp?session=2"],
  ])("joins the relative URL %j to its own", async (target, expected) => {
    await using server = await startSse(`event: endpoint\ndata: ${target}\n\n`);
    await using web = await open(server);
    await web.transport.start();
    await web.request(1);
    expect(server.targets).toEqual([expected]);
  });

  it("accepts an absolute URL of its own origin, and ignores a second one", async () => {
    await using server = await startSse("");
    await using web = await open(server);
    const starting = web.transport.start();
    await expect.poll(() => server.seen.length).toBe(1);
    server.say(`event: endpoint\ndata: ${new URL("/here", server.url).href}\n\nevent: endpoint\ndata: /there\n\n`);
    await starting;
    await web.request(1);
    expect(server.targets).toEqual(["/here"]);
  });

  it.each(["https://evil.example/messages", "//evil.example/messages", "http://[", "http://user:pw@127.0.0.1/"])(
    "refuses %j with protocol_error: credentials go along with every message",
    async (target) => {
      await using server = await startSse(`event: endpoint\ndata: ${target}\n\n`);
      await using web = await open(server, { transport: { bearerToken: "token" } });
      expect(await thrownBy(web.transport.start())).toMatchObject({ code: "protocol_error" });
      expect(server.methods()).toEqual(["GET"]);
    },
  );

  it("refuses another port or scheme of its own host", async () => {
    await using other = await startLoopback((_request, response) => reply(response, 202));
    await using server = await startSse(`event: endpoint\ndata: ${other.url}\n\n`);
    await using web = await open(server);
    expect(await thrownBy(web.transport.start())).toMatchObject({ code: "protocol_error" });
    expect(other.seen).toEqual([]);
  });

  it("ignores messages that come before it knows where to answer", async () => {
    await using server = await startSse(`${message(result(1))}${greeting}`);
    await using web = await open(server);
    await web.transport.start();
    expect([web.messages, web.diagnostics.map(({ kind }) => kind)]).toEqual([[], ["protocol-anomaly"]]);
  });

  it("delivers what the server asks and tells, in order", async () => {
    const ping = { jsonrpc: "2.0", id: "s-1", method: "ping" };
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    await using server = await startSse(`${greeting}${message(ping)}data: {oops\n\n${message([changed, 5])}`);
    await using web = await open(server);
    await web.transport.start();
    await expect.poll(() => web.messages).toEqual([ping, changed]);
    expect(web.diagnostics).toHaveLength(2);
  });
});

describe("start() of the old HTTP+SSE", () => {
  it.each([
    [401, "auth_required"],
    [404, "http_error"],
    [405, "http_error"],
    [500, "http_error"],
    [307, "redirect_refused"],
    [204, "protocol_error"],
  ])("rejects with what %d means: %s", async (status, code) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    await using web = await open(server);
    expect(await thrownBy(web.transport.start())).toMatchObject({ code, serverId: "web" });
  });

  it("rejects with protocol_error when it gets a page", async () => {
    await using server = await startLoopback((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>"),
    );
    await using web = await open(server);
    expect(String(await thrownBy(web.transport.start()))).toContain("Welcome");
  });

  it("rejects with connection_closed when the stream ends before it said where messages go", async () => {
    await using server = await startSse(": hi\n\n");
    await using web = await open(server);
    const failure = thrownBy(web.transport.start());
    await expect.poll(() => server.seen.length).toBe(1);
    server.end();
    expect(await failure).toMatchObject({ code: "connection_closed" });
    expect(web.closes).toBe(0);
  });

  it("rejects with aborted when the opening is aborted before it, and opens nothing", async () => {
    await using server = await startSse(": hi\n\n");
    await using web = await open(server, { signal: AbortSignal.abort() });
    expect(await thrownBy(web.transport.start())).toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(server.seen).toEqual([]);
  });

  it("rejects with aborted when the opening is aborted during it", async () => {
    await using server = await startSse(": hi\n\n");
    const abort = new AbortController();
    await using web = await open(server, { signal: abort.signal });
    const failure = thrownBy(web.transport.start());
    await expect.poll(() => server.seen.length).toBe(1);
    abort.abort();
    expect(await failure).toMatchObject({ code: "aborted" });
  });

  it("rejects with closed when the transport is closed meanwhile", async () => {
    await using server = await startSse(": hi\n\n");
    await using web = await open(server);
    const failure = thrownBy(web.transport.start());
    await expect.poll(() => server.seen.length).toBe(1);
    await web.transport.close();
    expect(await failure).toMatchObject({ code: "closed" });
    expect(web.closes).toBe(1);
  });

  it("goes on when its signal aborts later", async () => {
    await using server = await startSse(greeting);
    const abort = new AbortController();
    await using web = await open(server, { signal: abort.signal });
    await web.transport.start();
    abort.abort();
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
  });
});

describe("the end of the stream", () => {
  it.each([undefined, "break"] as const)("closes the transport at once, with connection_closed (%s)", async (how) => {
    let pending = (): void => expect.unreachable();
    await using server = await startSse(greeting, ({ message: { id } }, response) => {
      if (id === 1) reply(response, 202);
      else pending = () => reply(response, 202);
    });
    await using web = await open(server);
    await web.transport.start();
    await web.request(1);
    const waiting = thrownBy(web.request(2));
    await expect.poll(() => server.targets.length).toBe(2);
    server.end(how);
    await expect.poll(() => web.closes).toBe(1);
    expect(web.transport.closeReason).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(await waiting).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(await thrownBy(web.request(3))).toMatchObject({ code: "connection_closed", outcome: "not-sent" });
    pending();
    await web.transport.close();
    expect([web.closes, web.failures]).toEqual([1, []]);
  });

  it("comes with message_too_large when an event exceeds the limit: whose answer it was is not known", async () => {
    await using server = await startSse(greeting, (_request, response) => reply(response, 202));
    await using web = await open(server, { spec: { limits: { maxMessageBytes: 500 } } });
    await web.transport.start();
    await web.request(1);
    server.say(`data: ${"x".repeat(1000)}`);
    await expect.poll(() => web.transport.closeReason).toMatchObject({ code: "message_too_large", outcome: "unknown" });
  });

  it("by close() leaves no connection, and no reason", async () => {
    await using server = await startSse(greeting);
    const web = await open(server);
    await web.transport.start();
    await web.transport.close();
    await web.transport.close();
    expect([web.closes, web.transport.closeReason]).toEqual([1, undefined]);
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "closed", outcome: "not-sent" });
  });
});

describe("an answer on the stream that cannot be let in", () => {
  it.each([
    ["nested deeper than 512 levels", `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(600)}${"]".repeat(600)}}`],
    ["not JSON", '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"cut o'],
  ])("fails its own request at once, and no other, when it is %s", async (what, data) => {
    await using server = await startSse(greeting, (_request, response) => reply(response, 202));
    await using web = await openSseTo(server);
    await Promise.all([web.request(1), web.request(2)]);
    server.say(`data: ${data}\n\n${message(result(2))}`);
    await expect.poll(() => web.messages).toEqual([result(2)]);
    expect(web.failures).toMatchObject([{ id: 1, error: { code: "protocol_error", outcome: "unknown" } }]);
    expect(String(web.failures[0]?.error)).toContain(`an answer that is ${what}`);
  });
});

describe("a message over HTTP+SSE", () => {
  it.each([
    [401, "auth_required", "failed"],
    // The URL is no session id, so that this is no proof.
    [404, "session_expired", "unknown"],
    [413, "http_error", "failed"],
    [302, "redirect_refused", "failed"],
  ])("rejects with what %d means: %s, outcome %s", async (status, code, outcome) => {
    await using server = await startSse(greeting, (_request, response) => reply(response, status));
    await using web = await open(server);
    await web.transport.start();
    expect(await thrownBy(web.request(1))).toMatchObject({ code, outcome });
    expect(web.closes).toBe(0);
  });

  it.each([
    ["requestMs, for a notification", (web: OpenedHttp) => web.notify("x"), 700],
    ["callMs, for a request, whose reply a server may hold", (web: OpenedHttp) => web.request(1), 9000],
  ])("rejects with request_timeout after %s", async (_what, send, ms) => {
    const clock = useManualClock();
    await using server = await startSse(greeting, () => undefined);
    await using web = await open(server, { spec: { timeouts: { requestMs: 700, callMs: 9000 } } });
    await web.transport.start();
    const failure = thrownBy(send(web));
    await expect.poll(() => server.targets.length).toBe(1);
    clock.advance(ms - 1);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    expect(await failure).toMatchObject({ code: "request_timeout" });
  });

  it("is given up together with its request, and its connection with it", async () => {
    const open: ServerResponse[] = [];
    await using server = await startSse(greeting, (_request, response) => {
      open.push(response);
      response.on("close", () => open.splice(open.indexOf(response), 1));
    });
    await using web = await openSseTo(server);
    const sent = Array.from({ length: 50 }, (_, id) => thrownBy(web.request(id)));
    await expect.poll(() => open.length).toBe(50);
    for (let id = 0; id < 50; id += 1) web.transport.takeBack?.(id);
    expect(await Promise.all(sent)).toMatchObject(sent.map(() => ({ code: "aborted", outcome: "unknown" })));
    await expect.poll(() => open.length).toBe(0);
  });

  it("does not wait for its reply for ever when it was answered on the stream", async () => {
    const clock = useManualClock();
    const closed: unknown[] = [];
    await using server = await startSse(greeting, ({ message: { id } }, response, self) => {
      response.on("close", () => closed.push(id));
      if (id !== 3) self.say(message(result(id === 2 ? "2" : id)));
    });
    await using web = await openSseTo(server);
    const sent = [1, 2, 3].map((id) => thrownBy(web.request(id)));
    await expect.poll(() => web.messages.length).toBe(2);
    expect(closed).toEqual([]);
    clock.advance(10_000);
    await Promise.all(sent.slice(0, 2));
    await expect.poll(() => new Set(closed)).toEqual(new Set([1, 2]));
    await web.transport.close();
    await Promise.all(sent);
    expect(clock.pending()).toBe(0);
  });

  it("before start() is a mistake of the caller", async () => {
    await using server = await startSse(greeting);
    await using web = await open(server);
    expect(await thrownBy(web.request(1))).toBeInstanceOf(TypeError);
  });
});
