import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { HostsideError } from "@hostside/core";
import { afterEach, describe, expect, it } from "vitest";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { httpAnswer, startRaw } from "../../../test/raw-server.ts";
import type { HttpCall, HttpClient, HttpExchangeInit, HttpReply } from "./http-exchange.ts";
import { createDefaultExchange } from "./node-exchange.ts";
import { readBody } from "./read-body.ts";

const exchanges: HttpClient[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

function openExchange(init: Partial<HttpExchangeInit> = {}): HttpClient {
  const exchange = createDefaultExchange({ serverId: "web", ...init });
  exchanges.push(exchange);
  return exchange;
}

function post(exchange: HttpClient, url: string, body = "{}"): HttpCall {
  return exchange.start({ method: "POST", url: new URL(url), headers: { "content-type": "application/json" }, body });
}

async function textOf(reply: HttpReply): Promise<string> {
  return readBody(reply, 1_000_000, () => new RangeError("too large"));
}

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );

const enough = new HostsideError("enough", { code: "aborted" });

describe("createDefaultExchange() on Node", () => {
  it("sends a request as it was given, and reads the reply", async () => {
    await using server = await startRaw((socket) =>
      socket.write(httpAnswer("größe", "x-one: 1\r\nX-Two: a\r\nx-two: b")),
    );
    const exchange = openExchange();
    const reply = await post(exchange, `${server.url}?q=1`, '{"ü":1}').reply;
    expect([reply.status, reply.header("x-one"), reply.header("x-two"), reply.header("x-three")]).toEqual([
      200,
      "1",
      "a, b",
      undefined,
    ]);
    expect(await textOf(reply)).toBe("größe");
    const [head, body] = server.requests[0]?.split("\r\n\r\n") ?? [];
    expect(head?.split("\r\n").map((line) => line.toLowerCase())).toEqual([
      "post /mcp?q=1 http/1.1",
      `host: 127.0.0.1:${server.port}`,
      "connection: keep-alive",
      "accept-encoding: gzip, deflate, br",
      "content-type: application/json",
      "content-length: 8",
    ]);
    expect(body).toBe('{"ü":1}');
  });

  it("uses one connection for requests in a row, and closes it on close()", async () => {
    await using server = await startRaw((socket) => socket.write(httpAnswer("{}")));
    const exchange = openExchange();
    for (let n = 0; n < 5; n += 1) await textOf(await post(exchange, server.url).reply);
    expect(server.connections).toBe(1);
    exchange.close();
    exchange.close();
    await server.allClosed();
  });

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    [" GZIP ", gzipSync],
    ["identity", (plain: Buffer) => plain],
  ])("decodes %j", async (encoding, encode) => {
    const body = encode(Buffer.from('{"text":"größe"}'));
    await using server = await startRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding:${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    expect(await textOf(await post(openExchange(), server.url).reply)).toBe('{"text":"größe"}');
  });

  it("decodes what came so far, without waiting for the end", async () => {
    const gzip = createGzip();
    await using server = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
      gzip.pipe(socket);
      gzip.write("first");
      gzip.flush();
    });
    const reply = await post(openExchange(), server.url).reply;
    let text = "";
    const reading = reply.read((chunk) => (text += Buffer.from(chunk).toString()));
    await expect.poll(() => text).toBe("first");
    gzip.end(" second");
    await reading;
    expect(text).toBe("first second");
  });

  it.each(["zstd", "gzip, br", "snappy"])(
    "rejects %s, which was not offered, with protocol_error",
    async (encoding) => {
      await using server = await startRaw((socket) => socket.write(httpAnswer("x", `content-encoding: ${encoding}`)));
      const reply = await post(openExchange(), server.url).reply;
      expect(await thrownBy(textOf(reply))).toMatchObject({ code: "protocol_error", details: { excerpt: encoding } });
    },
  );

  it("hands over no more of a gzip bomb than was asked for, and drops the connection", async () => {
    const bomb = gzipSync(Buffer.alloc(120 * 1024 * 1024));
    await using server = await startRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });
    const reply = await post(openExchange(), server.url).reply;
    let seen = 0;
    const limit = new RangeError("limit");
    const reading = reply.read((chunk) => {
      seen += chunk.length;
      if (seen > 1_000_000) throw limit;
    });
    expect(await thrownBy(reading)).toBe(limit);
    expect(seen).toBeLessThan(1_100_000);
    await server.allClosed();
    expect(seen).toBeLessThan(1_100_000);
  });
});

describe("a request that fails before its reply", () => {
  it("is unreachable and not-sent when nobody listens", async () => {
    const server = await startRaw(() => undefined);
    await server[Symbol.asyncDispose]();
    const clock = useManualClock();
    const error = await thrownBy(post(openExchange(), server.url).reply);
    expect(error).toMatchObject({ code: "unreachable", outcome: "not-sent", serverId: "web" });
    expect(String(error)).toContain("ECONNREFUSED");
    await expect.poll(() => clock.pending()).toBe(0);
  });

  it("is dns_failed and not-sent when the name has no address", async () => {
    const error = await thrownBy(post(openExchange(), "http://no-such-host.invalid/mcp").reply);
    expect(error).toMatchObject({ code: "dns_failed", outcome: "not-sent" });
  });

  it("is tls_failed and not-sent when https: meets a server without TLS", async () => {
    await using server = await startRaw(() => undefined);
    // The bytes of a handshake are no HTTP request: an HTTP server answers them in clear text.
    const plain = createTcpServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
    );
    await new Promise<void>((resolve) => {
      plain.listen(0, "127.0.0.1", resolve);
    });
    const { port } = plain.address() as AddressInfo;
    const error = await thrownBy(post(openExchange(), `https://127.0.0.1:${port}/mcp`).reply);
    expect(error).toMatchObject({ code: "tls_failed", outcome: "not-sent", retryable: false });
    plain.close();
    expect(server.requests).toEqual([]);
  });

  it("is unreachable and not-sent when the connection is not ready within 15 s, TLS included", async () => {
    const clock = useManualClock();
    await using server = await startRaw(() => undefined);
    const call = post(openExchange(), `https://127.0.0.1:${server.port}/mcp`);
    const failure = thrownBy(call.reply);
    await expect.poll(() => server.connections).toBe(1);
    clock.advance(14_999);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    expect(await failure).toMatchObject({ code: "unreachable", outcome: "not-sent", details: { timeoutMs: 15_000 } });
    await server.allClosed();
    expect(clock.pending()).toBe(0);
  });

  it("has no deadline any more once it is connected", async () => {
    const clock = useManualClock();
    let answer = (): void => expect.unreachable();
    await using server = await startRaw((socket) => {
      answer = () => void socket.write(httpAnswer("{}"));
    });
    const { reply } = post(openExchange(), server.url);
    await expect.poll(() => server.requests.length).toBe(1);
    expect(clock.pending()).toBe(0);
    clock.advance(3_600_000);
    answer();
    expect((await reply).status).toBe(200);
  });

  it.each<[string, (socket: Socket) => void]>([
    ["resets the connection", (socket) => socket.resetAndDestroy()],
    ["ends the connection", (socket) => socket.end()],
    ["stops in the middle of its headers", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-le")],
  ])("is connection_closed and unknown when the server %s", async (_how, answer) => {
    await using server = await startRaw(answer);
    const error = await thrownBy(post(openExchange(), server.url).reply);
    expect(error).toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });

  it.each([
    ["no HTTP at all", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["an illegal header", "HTTP/1.1 200 OK\r\nbad header: \u0000\r\n\r\n"],
    ["too many headers", `HTTP/1.1 200 OK\r\n${"x-filler: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(2000)}\r\n`],
  ])("is protocol_error and unknown when the server sends %s", async (_what, bytes) => {
    await using server = await startRaw((socket) => socket.end(bytes));
    const error = await thrownBy(post(openExchange(), server.url).reply);
    expect(error).toMatchObject({ code: "protocol_error", outcome: "unknown" });
  });

  it("is connection_closed and unknown when a kept connection breaks under it", async () => {
    let answered = 0;
    await using server = await startRaw((socket) => {
      answered += 1;
      if (answered === 1) socket.write(httpAnswer("{}"));
      else socket.resetAndDestroy();
    });
    const exchange = openExchange();
    await textOf(await post(exchange, server.url).reply);
    const error = await thrownBy(post(exchange, server.url).reply);
    expect(error).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect([server.connections, server.requests.length]).toEqual([1, 2]);
  });

  it.each([{ "x-bad": "a\r\nx-evil: 1" }, { "x-bad": "\u0000" }, { "bad name": "x" }])(
    "is internal_error and not-sent with the headers %j, which never reach the wire",
    async (headers) => {
      await using server = await startRaw((socket) => socket.write(httpAnswer("{}")));
      const call = openExchange().start({ method: "GET", url: new URL(server.url), headers });
      expect(await thrownBy(call.reply)).toMatchObject({ code: "internal_error", outcome: "not-sent" });
      expect(server.connections).toBe(0);
    },
  );
});

describe("a reply whose body fails", () => {
  it.each<[string, (socket: Socket) => void]>([
    ["ends before its announced length", (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"a":')],
    [
      "ends in the middle of a chunk",
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"a":'),
    ],
    [
      "ends without a last chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"),
    ],
    [
      "is reset",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{", () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
    ],
  ])("is connection_closed and unknown when it %s", async (_how, answer) => {
    await using server = await startRaw(answer);
    const reply = await post(openExchange(), server.url).reply;
    expect(await thrownBy(textOf(reply))).toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });

  it("is connection_closed, not a decoding error, when it is cut off while being decoded", async () => {
    const body = gzipSync(Buffer.alloc(50_000, "ab"));
    await using server = await startRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.end(body.subarray(0, body.length - 10));
    });
    const reply = await post(openExchange(), server.url).reply;
    expect(await thrownBy(textOf(reply))).toMatchObject({ code: "connection_closed", outcome: "unknown" });
  });

  it.each([
    ["gzip", Buffer.from("this is no gzip")],
    ["gzip", gzipSync(Buffer.alloc(5000, "ab")).subarray(0, 20)],
    ["br", Buffer.from("this is no brotli")],
  ])("is protocol_error when its %s is broken", async (encoding, body) => {
    await using server = await startRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    const reply = await post(openExchange(), server.url).reply;
    expect(await thrownBy(textOf(reply))).toMatchObject({ code: "protocol_error" });
  });

  it("throws what the reader throws, gives it nothing more, and drops the connection", async () => {
    await using server = await startRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      const timer = setInterval(() => socket.write("1\r\nx\r\n"), 1);
      socket.on("close", () => clearInterval(timer));
    });
    const reply = await post(openExchange(), server.url).reply;
    let calls = 0;
    const stop = new RangeError("stop");
    const reading = reply.read(() => {
      calls += 1;
      throw stop;
    });
    expect(await thrownBy(reading)).toBe(stop);
    await server.allClosed();
    expect(calls).toBe(1);
  });
});

describe("cancel()", () => {
  it("rejects a reply that is waited for, at once, and drops the connection", async () => {
    await using server = await startRaw(() => undefined);
    const call = post(openExchange(), server.url);
    await expect.poll(() => server.requests.length).toBe(1);
    call.cancel(enough);
    expect(await thrownBy(call.reply)).toBe(enough);
    await server.allClosed();
  });

  it("rejects a request that is not even connected", async () => {
    await using server = await startRaw(() => undefined);
    const call = post(openExchange(), server.url);
    call.cancel(enough);
    call.cancel(new HostsideError("again", { code: "closed" }));
    expect(await thrownBy(call.reply)).toBe(enough);
    expect(server.requests).toEqual([]);
  });

  it("keeps a request from leaving that waits for the turn of a kept connection", async () => {
    await using server = await startRaw((socket) => socket.write(httpAnswer("{}")));
    const exchange = openExchange();
    await textOf(await post(exchange, server.url, '"first"').reply);
    const call = post(exchange, server.url, '"given up"');
    call.cancel(enough);
    expect(await thrownBy(call.reply)).toBe(enough);
    await textOf(await post(exchange, server.url, '"last"').reply);
    expect(server.requests.map((request) => request.split("\r\n\r\n")[1])).toEqual(['"first"', '"last"']);
  });

  it("rejects a body that is being read, and one that is about to be", async () => {
    await using server = await startRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"));
    const exchange = openExchange();
    const first = post(exchange, server.url);
    const reading = (await first.reply).read(() => undefined);
    first.cancel(enough);
    expect(await thrownBy(reading)).toBe(enough);
    const second = post(exchange, server.url);
    const reply = await second.reply;
    second.cancel(enough);
    await server.allClosed();
    expect(await thrownBy(reply.read(() => undefined))).toBe(enough);
  });

  it("of a reply ends its reading with connection_closed", async () => {
    await using server = await startRaw((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"));
    const reply = await post(openExchange(), server.url).reply;
    const reading = reply.read(() => undefined);
    reply.cancel();
    expect(await thrownBy(reading)).toMatchObject({ code: "connection_closed" });
    await server.allClosed();
  });

  it("after the end touches nothing, not even the next request on the same connection", async () => {
    await using server = await startRaw((socket) => socket.write(httpAnswer("{}")));
    const exchange = openExchange();
    const first = post(exchange, server.url);
    await textOf(await first.reply);
    const second = post(exchange, server.url);
    first.cancel(enough);
    expect(await textOf(await second.reply)).toBe("{}");
    expect(server.connections).toBe(1);
  });
});

describe("close() of an exchange", () => {
  it("drops busy connections, and their calls fail", async () => {
    await using server = await startRaw((socket, request) => {
      if (!request.startsWith("GET")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{");
    });
    const exchange = openExchange();
    const waiting = thrownBy(exchange.start({ method: "GET", url: new URL(server.url), headers: {} }).reply);
    const reading = thrownBy(textOf(await post(exchange, server.url).reply));
    await expect.poll(() => server.requests.length).toBe(2);
    exchange.close();
    expect(await waiting).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(await reading).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    await server.allClosed();
  });
});
