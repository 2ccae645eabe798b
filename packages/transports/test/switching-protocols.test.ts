import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createFetchExchange } from "../src/http/exchange/fetch-exchange.ts";
import type { HttpClient } from "../src/http/exchange/http-exchange.ts";
import { createDefaultExchange } from "../src/http/exchange/node-exchange.ts";
import { openHttpTransport, thrownBy } from "./open-http-transport.ts";
import { httpAnswer, startRaw } from "./raw-server.ts";

const exchanges: readonly (readonly [string, () => HttpClient])[] = [
  ["undici", () => createDefaultExchange({ serverId: "web" })],
  ["a fetch", () => createFetchExchange((url, init) => globalThis.fetch(url, init), { serverId: "web" })],
];
const upgrades: readonly (readonly [string, string])[] = [
  ["to another protocol", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"],
  ["to nothing in particular", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
];

describe.each(exchanges)("HTTP 101 over %s", (name, open) => {
  // A fetch waits on after a 101 that names no protocol; the deadline of the request is what ends
  // that.
  const seen = name === "undici" ? upgrades : upgrades.slice(0, 1);
  it.each(seen)("fails the request at once when it switches %s, and holds no connection", async (_to, bytes) => {
    await using server = await startRaw((socket) => void socket.write(bytes));
    const exchange = open();
    const call = exchange.start({ method: "POST", url: new URL(server.url), headers: {}, body: "{}" });
    // What the runtime's own fetch makes of it is that the connection broke.
    const code: unknown = expect.stringMatching(/^(?:protocol_error|connection_closed)$/);
    expect(await thrownBy(call.reply)).toMatchObject({ code, outcome: "unknown" });
    await server.allClosed();
    exchange.close();
  });
});

it.each(upgrades)(
  "a call that is answered with HTTP 101 %s fails with protocol_error, outcome unknown",
  async (_to, bytes) => {
    await using server = await startRaw((socket) => void socket.write(bytes));
    await using web = await openHttpTransport({ url: server.url });
    const error = await thrownBy(web.request(1));
    expect(error).toMatchObject({ code: "protocol_error", outcome: "unknown" });
    expect(String(error)).toContain("HTTP 101");
  },
);

it("a stream for notifications that is answered with HTTP 101 is reported, and opened again", async () => {
  let gets = 0;
  const answer = (socket: Socket, request: string): void => {
    if (request.startsWith("POST") && request.includes("initialized")) {
      socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    } else if (request.startsWith("POST")) {
      socket.write(httpAnswer('{"jsonrpc":"2.0","id":0,"result":{}}'));
    } else if ((gets += 1) === 1) {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n");
    } else {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
    }
  };
  await using server = await startRaw(answer);
  await using web = await openHttpTransport({ url: server.url });
  await web.handshake();
  await expect.poll(() => web.interruptions).toBe(1);
  expect(web.diagnostics).toMatchObject([{ kind: "stream-lost", message: expect.stringContaining("HTTP 101") }]);
  expect(gets).toBe(2);
});
