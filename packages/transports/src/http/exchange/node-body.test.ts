import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { startRaw } from "../../../test/raw-server.ts";
import { createDefaultExchange } from "./node-exchange.ts";

/**
 * Reads a body that comes compressed, and counts how often its reading stood still until time went
 * on.
 */
async function read(body: Buffer): Promise<{ readonly pauses: number; readonly seen: number }> {
  const packed = gzipSync(body);
  await using server = await startRaw((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
    socket.write(packed);
  });
  const clock = useManualClock();
  const exchange = createDefaultExchange({ serverId: "web" });
  const reply = await exchange.start({ method: "GET", url: new URL(server.url), headers: {} }).reply;
  let seen = 0;
  let pauses = 0;
  const reading = reply.read(({ length }) => void (seen += length)).then(() => "done" as const);
  const nextTurn = (): Promise<"turn"> => new Promise((resolve) => setImmediate(resolve, "turn"));
  while ((await Promise.race([reading, nextTurn()])) === "turn") {
    if (clock.pending() === 0) continue;
    pauses += 1;
    clock.advance(1);
  }
  exchange.close();
  return { pauses, seen };
}

const mebibyte = 1024 * 1024;

it("decodes large tables without a pause, and what is small however much it grows", async () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => `{"id":${index},"name":"a row of a table"},`).join("");
  expect(await read(Buffer.from(rows))).toEqual({ seen: rows.length, pauses: 0 });
  expect(await read(Buffer.alloc(mebibyte / 2))).toEqual({ seen: mebibyte / 2, pauses: 0 });
});
