import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { reply, startLoopback, type SeenRequest } from "./loopback-server.ts";
import { useManualClock } from "../../../test/manual-clock.ts";
import { openHttpTransport, thrownBy } from "./open-http-transport.ts";
import { httpAnswer, startRaw } from "./raw-server.ts";

const result = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [] } });
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };

const answerOk = ({ message }: SeenRequest, response: ServerResponse): void =>
  message["id"] === undefined ? reply(response, 202) : reply(response, 200, result(message["id"]));

describe("a session", () => {
  const withSession = (sessionId: string) => (request: SeenRequest, response: ServerResponse) => {
    if (request.message["method"] === "initialize") response.setHeader("mcp-session-id", sessionId);
    if (request.httpMethod === "POST") answerOk(request, response);
    else reply(response, 405);
  };

  it("is taken from the answer to initialize, named in every later request, and deleted on close()", async () => {
    await using server = await startLoopback(withSession("s-1"));
    const web = await openHttpTransport({ url: server.url });
    await web.handshake();
    await web.request(1);
    expect(web.transport.sessionId).toBe("s-1");
    await web.transport.close();
    const methods = server.methods();
    const sent = server.seen.map(({ headers }, n) => [
      methods[n],
      [headers["mcp-session-id"], headers["mcp-protocol-version"]],
    ]);
    expect(Object.fromEntries(sent)).toEqual({
      initialize: [undefined, undefined],
      "notifications/initialized": ["s-1", "2025-11-25"],
      "tools/call": ["s-1", "2025-11-25"],
      GET: ["s-1", "2025-11-25"],
      DELETE: ["s-1", "2025-11-25"],
    });
    expect(server.seen.at(-1)?.httpMethod).toBe("DELETE");
  });

  it("is not taken from any other answer", async () => {
    await using server = await startLoopback((request, response) => {
      response.setHeader("mcp-session-id", "planted");
      answerOk(request, response);
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    expect(web.transport.sessionId).toBeUndefined();
  });

  it.each(["", "with space", "ü", "x".repeat(4097)])(
    "that cannot be echoed is protocol_error (%#)",
    async (sessionId) => {
      await using server = await startRaw((socket) => {
        socket.write(
          Buffer.from(httpAnswer("{}", `content-type: application/json\r\nmcp-session-id: ${sessionId}`), "latin1"),
        );
      });
      await using web = await openHttpTransport({ url: server.url });
      expect(await thrownBy(web.request(0, "initialize"))).toMatchObject({ code: "protocol_error" });
    },
  );

  it.each([
    [404, "failed", { error: { code: -32_001, message: "Session not found" }, id: null }],
    [404, "failed", undefined],
    [404, "failed", { error: { code: -32_001, message: "Session not found" }, id: 1 }],
    [400, "unknown", { error: { code: -32_000, message: "Bad Request: Server not initialized" }, id: null }],
  ])("that the server no longer knows is session_expired (%d, outcome %s, %j)", async (status, outcome, body) => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] === "tools/call") reply(response, status, body && { jsonrpc: "2.0", ...body });
      else withSession("s-1")(request, response);
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.handshake();
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "session_expired", outcome });
  });

  it("is given up after closeMs when the server does not answer the DELETE", async () => {
    const clock = useManualClock();
    await using server = await startLoopback((request, response) => {
      if (request.httpMethod !== "DELETE") withSession("s-1")(request, response);
    });
    const web = await openHttpTransport({ url: server.url, spec: { timeouts: { closeMs: 700 } } });
    await web.handshake();
    const closing = web.transport.close();
    await expect.poll(() => server.seen.at(-1)?.httpMethod).toBe("DELETE");
    expect(web.closes).toBe(0);
    clock.advance(700);
    await closing;
    expect([web.closes, clock.pending()]).toEqual([1, 0]);
  });
});

describe("taking a request back", () => {
  it("closes its response stream, and says nothing more of it (users.md 23)", async () => {
    const ended: unknown[] = [];
    await using server = await startLoopback(({ message }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(progress)}\n\n`);
      response.on("close", () => ended.push(message["id"]));
    });
    await using web = await openHttpTransport({ url: server.url });
    await Promise.all([web.request(1), web.request(2)]);
    web.transport.takeBack?.(1);
    web.transport.takeBack?.(99);
    await expect.poll(() => ended).toEqual([1]);
    expect(web.failures).toEqual([]);
  });

  it("rejects a send() that waits, with aborted", async () => {
    await using server = await startLoopback(() => undefined);
    await using web = await openHttpTransport({ url: server.url });
    const error = thrownBy(web.request(1));
    await expect.poll(() => server.seen.length).toBe(1);
    web.transport.takeBack?.(1);
    expect(await error).toMatchObject({ code: "aborted", outcome: "unknown" });
  });
});

describe("a notification", () => {
  it.each([200, 202, 204])("is taken with status %d", async (status) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    await using web = await openHttpTransport({ url: server.url });
    await web.notify("notifications/cancelled");
    expect(server.methods()).toEqual(["notifications/cancelled"]);
  });

  it("rejects with what the status means", async () => {
    await using server = await startLoopback((_request, response) => reply(response, 503));
    await using web = await openHttpTransport({ url: server.url });
    expect(await thrownBy(web.notify("notifications/cancelled"))).toMatchObject({ code: "http_error" });
  });

  it("rejects with request_timeout when the server does not take it within requestMs", async () => {
    const clock = useManualClock();
    await using server = await startLoopback(() => undefined);
    await using web = await openHttpTransport({ url: server.url, spec: { timeouts: { requestMs: 900 } } });
    const failure = thrownBy(web.notify("notifications/cancelled"));
    await expect.poll(() => server.seen.length).toBe(1);
    clock.advance(900);
    expect(await failure).toMatchObject({ code: "request_timeout", details: { timeoutMs: 900 } });
    expect(clock.pending()).toBe(0);
  });

  it("and an answer to a request of the server go the same way", async () => {
    await using server = await startLoopback((_request, response) => reply(response, 202));
    await using web = await openHttpTransport({ url: server.url });
    await web.transport.send({ jsonrpc: "2.0", id: 5, result: {} });
    expect(server.seen[0]?.message).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
  });
});

describe("close() of a Streamable HTTP transport", () => {
  it("ends everything under way, leaves no connection, and fires onclose once", async () => {
    await using server = await startRaw((socket, request) => {
      const id = Number(/"id":(\d+)/.exec(request)?.[1]);
      if (request.includes("initialize")) socket.write(httpAnswer(JSON.stringify(result(id))));
      else if (id === 1) socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n");
    });
    const web = await openHttpTransport({ url: server.url });
    await web.request(0, "initialize");
    await web.request(1);
    const waiting = thrownBy(web.request(2));
    const notifying = thrownBy(web.notify("x"));
    await expect.poll(() => server.requests.length).toBe(4);
    const closings = [web.transport.close(), web.transport.close()];
    await Promise.all(closings);
    expect(await waiting).toMatchObject({ code: "closed" });
    expect(await notifying).toMatchObject({ code: "closed" });
    await server.allClosed();
    expect([web.closes, web.failures, web.transport.closeReason]).toEqual([1, [], undefined]);
    expect(await thrownBy(web.request(3))).toMatchObject({ code: "closed", outcome: "not-sent" });
    expect(await thrownBy(web.notify("y"))).toMatchObject({ code: "closed", outcome: "not-sent" });
  });
});
