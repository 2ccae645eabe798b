import diagnostics from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { GatewayConversation, GatewayOptions, GatewayResources } from "@hostside/gateway";
import { listen, type GatewayServer } from "@hostside/gateway/node";
import type { JsonObject } from "@hostside/core";
import { afterEach, describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { serveTools, textOf, tool } from "./static-world.ts";

const patient = { timeout: 15_000 };
const mebibyte = 1024 * 1024;
const maxBufferedBytes = mebibyte;
const uri = `note:${"x".repeat(8000)}`;
const quiet = (): (() => void) => () => {};

// What the server has written, and its client has not taken.
const responses = new Set<ServerResponse>();
diagnostics.subscribe("http.server.request.start", (message) => {
  const { response } = message as { readonly response: ServerResponse };
  responses.add(response);
  response.once("close", () => responses.delete(response));
});
const unreadBytes = (): number => Array.from(responses, (one) => one.writableLength).reduce((sum, one) => sum + one, 0);

const leaving: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).toReversed()) await leave();
});

describe("a client that reads nothing of its sockets", () => {
  it("loses the stream that it listens on when too much waits for it, and its session goes on", async () => {
    const { server, update } = await serve();
    const silent = await openSession(server);
    await ask(silent, "resources/subscribe", { uri });
    const stream = await openSilently(server, `GET /mcp HTTP/1.1\r\naccept: text/event-stream\r\n${own(silent)}`);
    const other = await openSession(server);
    let most = 0;
    for (let sent = 0; sent < 20_000 && responses.size > 0; sent += 1) {
      update();
      if (sent % 100 === 0) most = Math.max(most, await nextTurn(unreadBytes));
    }
    expect(most).toBeGreaterThan(maxBufferedBytes / 2);
    expect(most).toBeLessThan(maxBufferedBytes * 1.5);
    await stream.closed();
    expect(textOf(await ask(other, "tools/call", { name: "echo" }))).toBe("hi");
    expect(textOf(await ask(silent, "tools/call", { name: "echo" }))).toBe("hi");
  });

  it("misses progress, holds up no call, and loses its connection in time", async () => {
    const { server, clock } = await serve();
    const silent = await openSession(server);
    const other = await openSession(server);
    const call = callText("busy", { progressToken: 1 });
    const stream = await openSilently(server, postText(silent, call));
    const before = clock.pending();
    let most = 0;
    while (responses.size > 0 && clock.pending() >= before) {
      most = Math.max(most, await nextTurn(unreadBytes));
      if (textOf(await ask(other, "tools/call", { name: "isDone" })) === "true") break;
    }
    expect(most).toBeLessThan(maxBufferedBytes);
    clock.advance(60_000);
    await stream.closed();
    expect(responses.size).toBe(0);
  });

  it("loses its oldest answers where too many wait to be read, and who reads has its own", async () => {
    const { server } = await serve({ maxUnreadBytes: 16 * mebibyte });
    const silent = await openSession(server);
    const other = await openSession(server);
    const sockets: Silent[] = [];
    let most = 0;
    for (let count = 0; count < 5; count += 1) {
      sockets.push(await openSilently(server, postText(silent, callText("long"))));
      await expect.poll(() => Array.from(responses).every(({ headersSent }) => headersSent), patient).toBe(true);
      most = Math.max(most, await nextTurn(unreadBytes));
    }
    expect(most).toBeGreaterThan(8 * mebibyte);
    expect(most).toBeLessThan(18 * mebibyte);
    await sockets[0]?.closed();
    const answer = await ask(other, "tools/call", { name: "long" });
    expect(String(textOf(answer)).length).toBe(8 * mebibyte);
  });
});

async function serve(limits: object = {}) {
  const clock = useManualClock();
  const listeners = new Set<() => void>();
  let isDone = false;
  const tools = [
    tool("echo", () => "hi"),
    tool("isDone", () => String(isDone)),
    tool("long", () => "x".repeat(8 * mebibyte)),
    tool("busy", async (_args, { onProgress }) => {
      for (let progress = 1; progress <= 8000; progress += 1) {
        onProgress?.({ progress, message: "x".repeat(1000) });
        if (progress % 100 === 0) await nextTurn(() => {});
      }
      isDone = true;
      return "done";
    }),
  ];
  const resources = resourcesOf({
    subscribe: async (_target: unknown, onUpdate: UpdateListener) => {
      const tell = (): void => onUpdate({ updatedUri: uri });
      listeners.add(tell);
      const end = (): void => void listeners.delete(tell);
      return Object.assign(end, { [Symbol.dispose]: end });
    },
  });
  const options: Partial<GatewayOptions> = {
    limits: { maxBufferedBytes, ...limits },
    open: ({ view }): GatewayConversation => ({
      tools: served.toolbox.view(view),
      resources,
    }),
  };
  const served = serveTools(tools, options);
  const server = await listen(served.gateway, { auth: "none" });
  leaving.push(
    () => served.gateway.close("over", { drainMs: 1 }),
    () => server.close(),
  );
  return {
    server,
    clock,
    update: () => {
      for (const tell of listeners) tell();
    },
  };
}

type UpdateListener = (update: { readonly updatedUri: string }) => void;

function resourcesOf(given: object): GatewayResources {
  const listed = { revision: 1, entries: [{ serverId: "a", uri, name: "one" }] };
  const nothing = { revision: 0, entries: [] };
  return {
    list: async () => ({ resources: listed.entries, failures: [] }),
    listTemplates: async () => ({ templates: [], failures: [] }),
    listPrompts: async () => ({ prompts: [], failures: [] }),
    snapshot: () => listed,
    templateSnapshot: () => nothing,
    promptSnapshot: () => nothing,
    onResourcesChanged: quiet,
    onTemplatesChanged: quiet,
    onPromptsChanged: quiet,
    ...given,
  } as unknown as GatewayResources;
}

/** Resolves with what that says once the loop has turned, so that sockets had their say. */
function nextTurn<T>(read: () => T): Promise<T> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(read()));
  });
}

interface Silent {
  readonly socket: Socket;
  closed(): Promise<void>;
}

/** Sends a request, and never reads its answer. */
async function openSilently(server: GatewayServer, text: string): Promise<Silent> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  leaving.push(() => void socket.destroy());
  const seen = new Promise<void>((resolve) => {
    const onStart = (): void => {
      diagnostics.unsubscribe("http.server.request.start", onStart);
      resolve();
    };
    diagnostics.subscribe("http.server.request.start", onStart);
  });
  socket.write(text.replace("accept", `host: 127.0.0.1:${server.port}\r\naccept`));
  await seen;
  return {
    socket,
    closed() {
      // What is in the pipe is read now, because an end that comes behind it is not seen otherwise.
      socket.resume();
      return ended;
    },
  };
}

const own = ({ session }: Client): string => `mcp-session-id: ${session}\r\n\r\n`;

function callText(name: string, meta: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {}, _meta: meta } });
}

function postText(client: Client, body: string): string {
  const accepted = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";
  return `POST /mcp HTTP/1.1\r\n${accepted}content-length: ${body.length}\r\n${own(client)}${body}`;
}

async function post(server: GatewayServer, session: string | undefined, body: object): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  return fetch(server.url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) });
}

interface Client {
  readonly server: GatewayServer;
  readonly session: string;
}

async function openSession(server: GatewayServer): Promise<Client> {
  const clientInfo = { name: "raw", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const answer = await post(server, undefined, { method: "initialize", params });
  await answer.text();
  return { server, session: answer.headers.get("mcp-session-id") ?? "" };
}

async function ask({ server, session }: Client, method: string, params: object): Promise<JsonObject> {
  const answer = await post(server, session, { method, params });
  return (await answer.json()) as JsonObject;
}
