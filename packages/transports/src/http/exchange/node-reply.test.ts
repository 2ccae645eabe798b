import type { SocketConnection } from "../sockets/connection.ts";
import { HostsideError } from "@hostside/core";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { useManualClock, useTestClock } from "../../../../../test/manual-clock.ts";
import { httpAnswer, startRaw } from "../../../test/raw-server.ts";
import type { HttpCall, HttpClient, HttpReply } from "./http-exchange.ts";
import { createDefaultExchange } from "./node-exchange.ts";
import { NodeReply } from "./node-reply.ts";
import { readBody } from "./read-body.ts";

const exchanges: HttpClient[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

function openExchange(): HttpClient {
  const exchange = createDefaultExchange({ serverId: "web" });
  exchanges.push(exchange);
  return exchange;
}

const post = (exchange: HttpClient, url: string): HttpCall =>
  exchange.start({ method: "POST", url: new URL(url), headers: {}, body: "{}" });
const textOf = (reply: HttpReply): Promise<string> => readBody(reply, 1000, () => new RangeError("too large"));
const enough = new HostsideError("enough", { code: "aborted" });

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

  it("takes no more of a flood than it can hand on, also where some of it came before anybody read", async () => {
    const { reply, connection, read } = openFlood();
    reply.onBody(Buffer.alloc(60_000));
    const reading = read();
    expect(connection.isPaused).toBe(true);
    reply.stop(enough);
    await expect(reading).rejects.toBe(enough);
  });

  it("has nothing left to do once it was given up, whatever of it waited for its turn", async () => {
    const { reply, read, clock } = openFlood();
    const reading = read();
    const megabytes = 64;
    for (let count = 0; count < megabytes; count += 1) reply.onBody(Buffer.alloc(1024 * 1024));
    reply.stop(enough);
    await expect(reading).rejects.toBe(enough);
    const readings = clock.readings();
    await nextTurn();
    await nextTurn();
    expect(clock.readings()).toBe(readings);
  });
});

interface Flood {
  readonly reply: NodeReply;
  readonly connection: { readonly isPaused: boolean };
  /** A clock that tells how often it was read: whoever hands on a slice reads it. */
  readonly clock: { readings(): number };
  readonly read: () => Promise<void>;
}

/** A reply whose reader takes longer for each piece than a turn may. */
function openFlood(): Flood {
  const time = useManualClock();
  let readings = 0;
  useTestClock({ ...time, now: () => ((readings += 1), time.now()) });
  let isPaused = false;
  const connection = {
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    destroy: () => {},
    send: () => {},
    isOpen: () => true,
  };
  const reply = new NodeReply(
    200,
    {},
    {
      connection: connection as unknown as SocketConnection,
      context: {
        failed: { serverId: "web", url: new URL("http://127.0.0.1/"), redact: undefined },
        shared: { decoding: new Set() },
        toError: () => enough,
      },
    },
  );
  return {
    reply,
    connection: {
      get isPaused() {
        return isPaused;
      },
    },
    clock: { readings: () => readings },
    read: () => reply.read(() => time.advance(0.6)),
  };
}
