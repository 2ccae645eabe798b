import type { JsonObject } from "@hostside/core";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { reply, startLoopback, type SeenRequest } from "../../../test/loopback-server.ts";
import { openHttpTransport, thrownBy } from "../../../test/open-http-transport.ts";
import { startRaw } from "../../../test/raw-server.ts";

const result = (id: unknown, more: object = {}) => ({ jsonrpc: "2.0", id, result: { content: [], ...more } });
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function startEvents(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

const answerOk = ({ message }: SeenRequest, response: ServerResponse): void =>
  message["id"] === undefined ? reply(response, 202) : reply(response, 200, result(message["id"]));

describe("a request answered with JSON", () => {
  it("is one POST, whose answer is delivered", async () => {
    await using server = await startLoopback(answerOk);
    await using web = await openHttpTransport({
      url: server.url,
      transport: { headers: { "X-Team": "a" }, bearerToken: " token " },
    });
    await web.request(1);
    expect(web.messages).toEqual([result(1)]);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      httpMethod: "POST",
      message: { id: 1, method: "tools/call" },
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "x-team": "a",
        authorization: "Bearer token",
        "user-agent": "hostside",
      },
    });
    expect(server.seen[0]?.headers).not.toHaveProperty("mcp-session-id");
  });

  it("delivers nothing before its own answer, and everything of a batch", async () => {
    await using server = await startLoopback(({ message }, response) =>
      reply(response, 200, [progress, result(message["id"])]),
    );
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    expect(web.messages).toEqual([progress, result(1)]);
  });

  it.each<[string, (response: ServerResponse, id: unknown) => void]>([
    ["202", (response) => reply(response, 202)],
    ["204", (response) => reply(response, 204)],
    ["200 without a body", (response) => response.writeHead(200, { "content-type": "application/json" }).end()],
    ["200 without a content type", (response, id) => response.writeHead(200).end(JSON.stringify(result(id)))],
    ["the answer to another request", (response) => reply(response, 200, result(99))],
    ["a notification only", (response) => reply(response, 200, progress)],
    [
      "malformed JSON",
      (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0",'),
    ],
    ["JSON that is no object", (response) => reply(response, 200, [])],
    [
      "a batch of too many messages",
      (response, id) => reply(response, 200, [result(id), ...Array.from({ length: 1000 }, () => progress)]),
    ],
  ])("fails at once with protocol_error, outcome unknown, when it gets %s", async (_what, answer) => {
    await using server = await startLoopback(({ message }, response) => answer(response, message["id"]));
    await using web = await openHttpTransport({ url: server.url });
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "protocol_error", outcome: "unknown", serverId: "web" });
    expect(web.failures).toEqual([]);
  });

  it("is read when it is no UTF-8, and told of", async () => {
    const inLatin1 = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"text":"gr\u00FCezi"}}', "latin1");
    await using server = await startLoopback((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(inLatin1),
    );
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    expect(web.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: { text: "gr\uFFFDezi" } }]);
    expect(web.diagnostics).toMatchObject([
      {
        kind: "protocol-anomaly",
        message: 'server "web" sent an answer that is not valid UTF-8; its broken bytes are read as U+FFFD',
      },
    ]);
  });

  it("is read whatever a fetch of somebody else's says of its length", async () => {
    const body = new TextEncoder().encode(JSON.stringify(result(1)));
    const fetch = async (): Promise<Response> =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const byte of body) controller.enqueue(Uint8Array.of(byte));
            controller.close();
          },
        }),
        { headers: { "content-type": "application/json", "content-length": "unknown" } },
      );
    await using web = await openHttpTransport({ url: "http://127.0.0.1:1/mcp", fetch });
    await web.request(1);
    expect(web.messages).toEqual([result(1)]);
  });

  it("quotes the login page that came instead of an answer, without the secrets in it", async () => {
    await using server = await startLoopback((_request, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!DOCTYPE html><title>Please log in</title> your token s3cret-token was refused"),
    );
    await using web = await openHttpTransport({ url: server.url, transport: { bearerToken: "s3cret-token" } });
    const error = await thrownBy(web.request(1));
    expect(String(error)).toMatch(
      /server "[^"]+": HTTP 200 \(text\/html\) from http\S+ instead of an answer, a web page/,
    );
    expect(String(error)).toContain("Please log in");
    expect(JSON.stringify([error, String(error)])).not.toContain("s3cret");
  });

  it("delivers the JSON-RPC error under an HTTP error, as 2026-07-28 has it", async () => {
    const rpcError = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } });
    await using server = await startLoopback(({ message }, response) => reply(response, 404, rpcError(message["id"])));
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    expect(web.messages).toEqual([rpcError(1)]);
  });

  it.each([
    [401, "auth_required", "failed"],
    [403, "forbidden", "failed"],
    [404, "http_error", "failed"],
    [405, "http_error", "failed"],
    [429, "rate_limited", "failed"],
    [500, "http_error", "unknown"],
    [503, "http_error", "unknown"],
  ])("fails with what %d means: %s, outcome %s", async (status, code, outcome) => {
    await using server = await startLoopback((_request, response) => {
      response.setHeader("retry-after", "2");
      response.setHeader("www-authenticate", 'Bearer scope="x"');
      reply(response, status, { jsonrpc: "2.0", id: null, error: { code: -32_000, message: "no" } });
    });
    await using web = await openHttpTransport({ url: server.url });
    expect(await thrownBy(web.request(1))).toMatchObject({
      code,
      outcome,
      details: { httpStatus: status, retryAfterMs: 2000, challenge: 'Bearer scope="x"', rpcCode: -32_000 },
    });
  });

  it("is unreachable and not-sent when nobody listens", async () => {
    const server = await startLoopback(answerOk);
    await server[Symbol.asyncDispose]();
    await using web = await openHttpTransport({ url: server.url });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "unreachable", outcome: "not-sent" });
  });

  it("is connection_closed and unknown when the connection is reset", async () => {
    await using server = await startRaw((socket) => socket.resetAndDestroy());
    await using web = await openHttpTransport({ url: server.url });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("with status %d is refused, and nothing reaches its target", async (status) => {
    await using target = await startLoopback(answerOk);
    await using server = await startLoopback((_request, response) =>
      response.writeHead(status, { location: target.url }).end(),
    );
    await using web = await openHttpTransport({
      url: server.url,
      transport: { headers: { "x-api-key": "s3cret-value" }, bearerToken: "t0ken-value" },
    });
    for (const fetch of [undefined, (input: string, init: RequestInit) => globalThis.fetch(input, init)]) {
      await using other = await openHttpTransport({
        url: server.url,
        fetch,
        transport: { bearerToken: "t0ken-value" },
      });
      expect(await thrownBy(other.request(1))).toMatchObject({ code: "redirect_refused", outcome: "failed" });
    }
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "redirect_refused", details: { httpStatus: status } });
    expect(String(error)).toContain(new URL(target.url).origin);
    expect(target.seen).toEqual([]);
  });
});

describe("the limit on a message", () => {
  const spec = { limits: { maxMessageBytes: 1000 } };
  const sized = (id: unknown, bytes: number): string => {
    const empty = JSON.stringify(result(id, { text: "" }));
    return JSON.stringify(result(id, { text: "x".repeat(bytes - empty.length) }));
  };

  it("lets an answer of exactly the limit pass, and refuses one byte more with message_too_large", async () => {
    await using server = await startLoopback(({ message }, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(sized(message["id"], message["id"] === 1 ? 1000 : 1001)),
    );
    await using web = await openHttpTransport({ url: server.url, spec });
    await web.request(1);
    expect(web.messages).toHaveLength(1);
    expect(await thrownBy(web.request(2))).toMatchObject({ code: "message_too_large", outcome: "unknown" });
  });

  it("refuses an announced length without reading the body", async () => {
    let written = 0;
    await using server = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1001\r\n\r\n");
      const timer = setInterval(() => socket.write("x", () => (written += 1)), 1);
      socket.on("close", () => clearInterval(timer));
    });
    await using web = await openHttpTransport({ url: server.url, spec });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "message_too_large" });
    await server.allClosed();
    expect(written).toBeLessThan(1001);
  });

  it("counts decompressed bytes: a bomb is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, " "));
    await using server = await startRaw((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
      );
      socket.write(bomb);
    });
    await using web = await openHttpTransport({ url: server.url, spec: { limits: { maxMessageBytes: 100_000 } } });
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "message_too_large" });
    await server.allClosed();
  });

  it("fails the request whose event exceeds it, at once, and no other", async () => {
    let release = (): void => expect.unreachable();
    await using server = await startLoopback(({ message }, response) => {
      startEvents(response);
      if (message["id"] === 1) release = () => void response.end(event(result(1)));
      else response.write(`data: ${"x".repeat(2000)}`);
    });
    await using web = await openHttpTransport({ url: server.url, spec });
    await Promise.all([web.request(1), web.request(2)]);
    await expect
      .poll(() => web.failures)
      .toMatchObject([{ id: 2, error: { code: "message_too_large", outcome: "unknown" } }]);
    release();
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect(web.failures).toHaveLength(1);
  });
});

describe("2026-07-28", () => {
  const modern = (method: string, params: object): JsonObject => ({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: { ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
  });

  it("repeats revision, method and name in headers, together with those of the request", async () => {
    await using server = await startLoopback(answerOk);
    await using web = await openHttpTransport({ url: server.url });
    await web.transport.send(modern("tools/call", { name: "größe", arguments: {} }), {
      headers: { "mcp-param-region": "eu", "mcp-method": "forged" },
    });
    expect(server.seen[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
      "mcp-param-region": "eu",
    });
  });

  it("does not resume a stream that breaks off: the request fails at once", async () => {
    await using server = await startLoopback((_request, response) => {
      startEvents(response);
      response.end("id: 1\nretry: 1\ndata:\n\n");
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.transport.send(modern("tools/call", { name: "x" }));
    await expect
      .poll(() => web.failures)
      .toMatchObject([{ id: 1, error: { code: "connection_closed", outcome: "unknown" } }]);
    expect(server.seen.map(({ httpMethod }) => httpMethod)).toEqual(["POST"]);
  });

  it.each([{ "mcp-param-x": "a\r\nX-Evil: 1" }, { "mcp-param-bad name": "x" }])(
    "refuses the malformed headers %j with internal_error, before anything is sent",
    async (headers) => {
      await using server = await startLoopback(answerOk);
      await using web = await openHttpTransport({ url: server.url });
      const error = await thrownBy(web.transport.send(modern("tools/call", { name: "x" }), { headers }));
      expect(error).toMatchObject({ code: "internal_error", outcome: "not-sent" });
      expect(server.seen).toEqual([]);
    },
  );
});
