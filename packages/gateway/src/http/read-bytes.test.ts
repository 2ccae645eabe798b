import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { readBodyText } from "./http-exchange.ts";
import { createExchanges } from "../node/node-exchange.ts";
import { gatewayLimits } from "../settings/gateway-limits.ts";

const text = JSON.stringify({ said: "täglich 1 €, 🙂" }).repeat(50);

/**
 * Comes byte by byte, each in the memory of the one before: whoever keeps pieces and no copies has
 * the last one alone.
 */
async function* byteByByte(whole: string): AsyncGenerator<Uint8Array, undefined> {
  const piece = new Uint8Array(1);
  for (const byte of new TextEncoder().encode(whole)) {
    piece[0] = byte;
    yield piece;
  }
  return undefined;
}

it("keeps no piece of a body that comes byte by byte, but a copy", async () => {
  expect(await readBodyText(byteByByte(text), 10_000)).toEqual({ text });
});

it("keeps none of a body over a socket, either", async () => {
  const request = Object.assign(new IncomingMessage(new Socket()), { iterator: () => byteByByte(text) });
  const exchange = createExchanges(gatewayLimits)(request, new ServerResponse(request));
  expect(await exchange.readBody(10_000)).toEqual({ text });
});

it("reads as many bytes as there may be, and not one more", async () => {
  const bytes = new TextEncoder().encode(text).length;
  expect(await readBodyText(byteByByte(text), bytes)).toEqual({ text });
  expect(await readBodyText(byteByByte(text), bytes - 1)).toEqual({ problem: "too-large" });
});

it("says of bytes that are no text that they are none, and takes none that there is no room for", async () => {
  expect(await readBodyText([new Uint8Array([0x22, 0xff, 0x22])], 10)).toEqual({ problem: "no-utf8" });
  let room = 3;
  const take = (bytes: number): boolean => (room -= bytes) >= 0;
  expect(await readBodyText(byteByByte(text), 10_000, take)).toEqual({ problem: "no-room" });
});
