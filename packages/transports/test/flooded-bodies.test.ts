import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { HttpReply } from "../src/http/exchange/http-exchange.ts";
import { createDefaultExchange } from "../src/http/exchange/node-exchange.ts";
import { useManualClock, type ManualClock } from "../../../test/manual-clock.ts";
import { startRaw, type RawServer } from "./raw-server.ts";

interface Flooded extends AsyncDisposable {
  readonly reply: HttpReply;
  readonly clock: ManualClock;
}

async function open(server: RawServer): Promise<Flooded> {
  const clock = useManualClock();
  const exchange = createDefaultExchange({ serverId: "web" });
  const { reply } = exchange.start({ method: "POST", url: new URL(server.url), headers: {}, body: "{}" });
  return {
    reply: await reply,
    clock,
    async [Symbol.asyncDispose]() {
      exchange.close();
      await server.allClosed();
    },
  };
}

it("hands a flood on in turns, whole and in order, so that others in this process have theirs", async () => {
  const flood = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
  await using server = await startRaw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${flood.length}\r\n\r\n`);
    socket.write(flood);
  });
  await using flooded = await open(server);
  const { reply, clock } = flooded;
  const received: Uint8Array[] = [];
  const total = (): number => received.reduce((sum, { length }) => sum + length, 0);
  const reading = reply.read((chunk) => {
    received.push(Uint8Array.from(chunk));
    // As long as it may take to handle so much.
    clock.advance(0.6);
  });
  let most = 0;
  for (let before = 0; before < flood.length; before = total()) {
    await nextTurn();
    most = Math.max(most, total() - before);
  }
  await reading;
  expect(most).toBeLessThanOrEqual(32 * 1024);
  expect(Buffer.concat(received).equals(flood)).toBe(true);
});

it("hands on what arrived before it tells that the connection was lost", async () => {
  await using server = await startRaw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n");
    socket.end(Buffer.alloc(60_000));
  });
  await using flooded = await open(server);
  const { reply, clock } = flooded;
  let received = 0;
  const reading = reply.read((chunk) => {
    received += chunk.length;
    clock.advance(2);
  });
  await expect(reading).rejects.toMatchObject({ code: "connection_closed" });
  expect(received).toBe(60_000);
});
