import { ToolportError } from "@toolport/core";
import { afterEach, describe, expect, it } from "vitest";
import { httpAnswer, startRaw } from "../../../test/raw-server.ts";
import type { HttpCall, HttpExchange, HttpReply } from "./http-exchange.ts";
import { createDefaultExchange } from "./node-exchange.ts";
import { readBody } from "./read-body.ts";

const exchanges: HttpExchange[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

function openExchange(): HttpExchange {
  const exchange = createDefaultExchange({ serverId: "web" });
  exchanges.push(exchange);
  return exchange;
}

const post = (exchange: HttpExchange, url: string): HttpCall =>
  exchange.start({ method: "POST", url: new URL(url), headers: {}, body: "{}" });
const textOf = (reply: HttpReply): Promise<string> => readBody(reply, 1000, () => new RangeError("too large"));
const enough = new ToolportError("enough", { code: "aborted" });

describe("a reply on Node", () => {
  it("has a small body whole that came with its head, and lets it be read all the same", async () => {
    await using server = await startRaw((socket) => socket.write(httpAnswer("größe")));
    const exchange = openExchange();
    const reply = await post(exchange, server.url).reply;
    expect(Buffer.from(reply.whole() ?? []).toString()).toBe("größe");
    expect(await textOf(reply)).toBe("größe");
    // Whoever has it whole may leave it at that.
    expect((await post(exchange, server.url).reply).whole()).toBeDefined();
    expect((await post(exchange, server.url).reply).whole()).toBeDefined();
    expect(server.connections).toBe(1);
  });

  it.each([
    ["is larger than 4 KiB", httpAnswer("x".repeat(4097))],
    ["is encoded", httpAnswer("x", "content-encoding: identity")],
    ["is empty", httpAnswer("")],
    ["is on its way", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc"],
    ["comes in pieces", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"],
  ])("has no body whole that %s", async (_what, text) => {
    await using server = await startRaw((socket) => socket.write(text));
    expect((await post(openExchange(), server.url).reply).whole()).toBeUndefined();
  });

  it("has no body whole that was given up", async () => {
    await using server = await startRaw((socket) => socket.write(httpAnswer("{}")));
    const call = post(openExchange(), server.url);
    const reply = await call.reply;
    call.cancel(enough);
    expect(reply.whole()).toBeUndefined();
    await expect(textOf(reply)).rejects.toBe(enough);
  });
});
