import { once } from "node:events";
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { startRaw } from "../../../test/raw-server.ts";
import type { HttpClient } from "./http-exchange.ts";
import { createDefaultExchange } from "./node-exchange.ts";
import { readBody } from "./read-body.ts";

const exchanges: HttpClient[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

/** Status and body of what a server sends, or the code that it fails with. */
async function read(bytes: string): Promise<string> {
  await using server = await startRaw((socket) => socket.end(bytes, "latin1"));
  const exchange = createDefaultExchange({ serverId: "web" });
  exchanges.push(exchange);
  try {
    const reply = await exchange.start({ method: "POST", url: new URL(server.url), headers: {}, body: "{}" }).reply;
    return `${reply.status} ${await readBody(reply, 1000, () => new RangeError("too large"))}`;
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "";
  }
}

/** The same by `node:http`, as a witness; what it refuses is `"refused"`. */
async function readByNode(bytes: string): Promise<string> {
  await using server = await startRaw((socket) => socket.end(bytes, "latin1"));
  const outgoing = request(server.url, { method: "POST", agent: false, headers: { "content-length": 2 } });
  outgoing.on("error", () => undefined);
  outgoing.end("{}");
  try {
    const [message] = await once(outgoing, "response");
    let body = "";
    for await (const chunk of message) body += String(chunk);
    return `${message.statusCode} ${body}`;
  } catch {
    return "refused";
  }
}

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

describe("where a response begins and ends", () => {
  it.each([
    ["a length", `${ok}content-length: 2\r\n\r\nhi`, "200 hi"],
    ["no body", "HTTP/1.1 204 No Content\r\n\r\n", "204 "],
    ["no reason", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", "200 "],
    ["an end of the connection", `${ok}\r\nhi`, "200 hi"],
    ["chunks", `${chunked}2\r\nhi\r\n03;a="b"\r\n ho\r\n0\r\n\r\n`, "200 hi ho"],
    ["trailers", `${chunked}1\r\nx\r\n0\r\nx-sum: 1\r\n\r\n`, "200 x"],
    ["hints before it", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}content-length: 1\r\n\r\nx`, "200 x"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nx", "200 x"],
  ])("is read with %s, as by node:http", async (_what, bytes, expected) => {
    expect([await read(bytes), await readByNode(bytes)]).toEqual([expected, expected]);
  });

  it.each([
    ["two lengths", `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nxy`],
    ["a length with a sign", `${ok}content-length: +1\r\n\r\nx`],
    ["a length and chunks", `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["a blank before a colon", `${ok}content-length : 1\r\n\r\nx`],
    ["another version", "HTTP/3.7 200 OK\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a chunk of no size", `${chunked};a\r\n`],
    ["a size with a prefix", `${chunked}0x1\r\nx\r\n0\r\n\r\n`],
    ["a chunk that is too long", `${chunked}1\r\nxy\r\n0\r\n\r\n`],
    ["half a body", `${ok}content-length: 2\r\n\r\nx`],
    ["half a head", "HTTP/1.1 200 OK\r\ncontent-le"],
    ["nothing", ""],
  ])("is not guessed with %s, nor by node:http", async (_what, bytes) => {
    expect(await read(bytes)).toMatch(/^(?:protocol_error|connection_closed)$/);
    expect(await readByNode(bytes)).toBe("refused");
  });

  it("is asked of each request alone: what a server sends unasked answers nobody", async () => {
    const answer = (body: string): string => `${ok}content-length: ${body.length}\r\n\r\n${body}`;
    await using server = await startRaw((socket) => socket.write(answer("one") + answer("planted")));
    const exchange = createDefaultExchange({ serverId: "web" });
    exchanges.push(exchange);
    const seen: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const call = exchange.start({ method: "POST", url: new URL(server.url), headers: {}, body: "{}" });
      seen.push(await readBody(await call.reply, 1000, () => new RangeError("too large")));
    }
    expect(seen).toEqual(["one", "one", "one"]);
  });
});
