import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SocketConnection } from "./connection.ts";

const piece = "x".repeat(64 * 1024);
const request = { origin: "http://127.0.0.1", method: "GET", target: "/", headers: [], body: undefined } as const;
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, "close");
  }
});

/** A connection, and the other end of it. */
async function openConnection(): Promise<{
  readonly connection: SocketConnection;
  readonly peer: Socket;
  idle: number;
}> {
  const server = createServer();
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  const accepted = once(server, "connection");
  const socket = connect(address.port, "127.0.0.1");
  await once(socket, "connect");
  const [peer] = (await accepted) as [Socket];
  peer.on("error", () => {});
  const opened = { idle: 0 };
  const onIdle = (): void => void (opened.idle += 1);
  const connection = new SocketConnection({
    socket,
    origin: request.origin,
    idleMs: 60_000,
    onIdle,
    onGone: () => {},
  });
  return Object.assign(opened, { connection, peer });
}

interface Reply {
  bytes: number;
  /** Resolves when the first piece is there, and reading is paused. */
  readonly paused: Promise<void>;
  /** Resolves to how it ended. */
  readonly over: Promise<Error | "complete">;
}

/** Sends a request, and pauses at the first piece of the reply. */
function ask(connection: SocketConnection): Reply {
  let onPaused: () => void = () => {};
  let onOver: (how: Error | "complete") => void = () => {};
  const reply = {
    bytes: 0,
    paused: new Promise<void>((resolve) => (onPaused = resolve)),
    over: new Promise<Error | "complete">((resolve) => (onOver = resolve)),
  };
  connection.send(request, {
    onSending: () => {},
    onHead: () => {},
    onBody(bytes) {
      if (reply.bytes === 0) {
        connection.pause();
        onPaused();
      }
      reply.bytes += bytes.length;
    },
    onEnd: () => onOver("complete"),
    onError: (error) => onOver(error),
  });
  return reply;
}

// What ends with its connection is what the library looks at once more when that is gone.
const heads = [
  ["that its connection ends", "HTTP/1.1 200 OK\r\n\r\n"],
  ["with Connection: close", `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${2 * piece.length}\r\n\r\n`],
] as const;

describe.each(heads)("a paused reply %s", (_, head) => {
  it("comes whole when it is resumed, though the server has long hung up", async () => {
    const { connection, peer } = await openConnection();
    const reply = ask(connection);
    await once(peer, "data");
    const finished = once(peer, "finish");
    peer.end(head + piece + piece);
    await Promise.all([reply.paused, finished]);
    connection.resume();
    expect(await reply.over).toBe("complete");
    expect(reply.bytes).toBe(2 * piece.length);
  });

  it("is over when the server resets the connection", async () => {
    const { connection, peer } = await openConnection();
    const reply = ask(connection);
    await once(peer, "data");
    peer.write(head + piece);
    await reply.paused;
    peer.resetAndDestroy();
    expect(await reply.over).toBeDefined();
  });

  it("is over when the host drops the connection", async () => {
    const { connection, peer } = await openConnection();
    const reply = ask(connection);
    await once(peer, "data");
    peer.write(head + piece);
    await reply.paused;
    const gone = new Promise((resolve) => peer.once("close", resolve));
    connection.destroy(new Error("given up"));
    expect(await reply.over).toMatchObject({ message: "given up" });
    await gone;
  });
});

it("a connection whose reply ended while it was paused takes the next request", async () => {
  const opened = await openConnection();
  const { connection, peer } = opened;
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell`;
  peer.on("data", () => peer.write(answer));
  for (const turn of [1, 2, 3]) {
    const reply = ask(connection);
    expect(await reply.over).toBe("complete");
    expect([reply.bytes, opened.idle]).toEqual([4, turn]);
  }
  connection.destroy();
});

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const filler = "x".repeat(16 * 1024);

describe("a reply that is next to no body", () => {
  it.each([
    ["a chunk's extension without end", `${chunked}1;a=`, filler],
    ["chunks of one byte with long extensions", chunked, `1;${filler}\r\n:\r\n`],
    ["interim replies without end", "", `HTTP/1.1 103 Early Hints\r\nLink: ${"x".repeat(8000)}\r\n\r\n`],
    ["a status line without end", "HTTP/1.1 200 ", filler],
  ])("is given up: %s", async (_, head, rest) => {
    const { connection, peer } = await openConnection();
    const reply = answerOf(connection);
    await once(peer, "data");
    peer.write(head);
    const more = (): void => {
      while (!peer.destroyed && peer.write(rest));
    };
    const gone = new Promise((resolve) => peer.once("close", resolve));
    peer.on("drain", more);
    more();
    expect(await reply).toMatchObject({ code: "HPE_OVERHEAD" });
    await gone;
    expect(peer.bytesWritten).toBeLessThan(32 * 1024 * 1024);
  });

  it("is not one in chunks of one byte", async () => {
    const { connection, peer } = await openConnection();
    const reply = answerOf(connection);
    await once(peer, "data");
    peer.end(`${chunked}${"1\r\n:\r\n".repeat(500_000)}0\r\n\r\n`);
    expect(await reply).toBe(500_000);
    connection.destroy();
  });
});

/** Sends a request; resolves to the size of the body, or why there is none. */
function answerOf(connection: SocketConnection): Promise<Error | number> {
  let bytes = 0;
  return new Promise((resolve) => {
    connection.send(request, {
      onSending: () => {},
      onHead: () => {},
      onBody: (piece) => void (bytes += piece.length),
      onEnd: () => resolve(bytes),
      onError: resolve,
    });
  });
}

describe("an idle connection", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    { name: "for less time than the server keeps it", keepAlive: "timeout=5", idleForMs: 3900, isOpen: true },
    { name: "as long as the server keeps it", keepAlive: "timeout=5", idleForMs: 4100, isOpen: false },
    { name: "for less time than its own limit", keepAlive: "nothing", idleForMs: 59_900, isOpen: true },
    { name: "for longer than its own limit", keepAlive: "nothing", idleForMs: 60_100, isOpen: false },
  ])("is open: $isOpen, when it was idle $name", async ({ keepAlive, idleForMs, isOpen }) => {
    const { connection, peer } = await openConnection();
    vi.useFakeTimers({ toFake: ["performance"] });
    const reply = ask(connection);
    await once(peer, "data");
    peer.write(`HTTP/1.1 200 OK\r\nKeep-Alive: ${keepAlive}\r\nContent-Length: 0\r\n\r\n`);
    expect(await reply.over).toBe("complete");
    vi.advanceTimersByTime(idleForMs);
    expect(connection.isOpen()).toBe(isOpen);
    connection.destroy();
  });
});
