import { Client } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, it, vi } from "vitest";
import { connect, type ConnectOptions } from "../src/index.ts";
import { createServerV1, custom, openClientV1, openClientV2 } from "./in-process-servers.ts";
import { useManualClock } from "../../../test/manual-clock.ts";
import { nodeWarnings } from "../../../test/node-warnings.ts";

const identity = { name: "mine", version: "1" };
const lines = [
  { name: "v1", open: () => new ClientV1(identity) },
  { name: "v2", open: () => new Client(identity) },
];

describe("a connected client of one's own", () => {
  it.each([
    { name: "v1", open: openClientV1 },
    { name: "v2", open: openClientV2 },
  ])("keeps its own callbacks, is watched, and is closed with the connection: $name", async ({ open }) => {
    const client = await open();
    const onclose = vi.fn<() => void>();
    client.onclose = onclose;
    const onDown = vi.fn<() => void>();
    const connection = await connect({ id: "srv", ...custom(() => client) }, { onDown });
    await connection.close();
    expect(onclose).toHaveBeenCalled();
    expect(onDown).not.toHaveBeenCalled();
    await expect(connect({ id: "srv", ...custom(() => client) })).rejects.toMatchObject({
      code: "handshake_failed",
    });
  });

  it.each(lines)("tells of a change of the tools: $name", async ({ open }) => {
    const onToolsChanged = vi.fn<() => void>();
    const { connection, server } = await openWithWait(open, { onToolsChanged });
    server.registerTool("extra", {}, () => ({ content: [] }));
    await vi.waitFor(() => expect(onToolsChanged).toHaveBeenCalled(), 60_000);
    await connection.close();
  });

  it("tells of a notification that cannot be sent with a code", async () => {
    const client = await openClientV1();
    const connection = await connect({ id: "srv", ...custom(() => client) });
    await client.close();
    await expect(connection.notify("notifications/x")).rejects.toMatchObject({
      code: "connection_closed",
      outcome: "not-sent",
    });
    await connection.close();
    await expect(connection.notify("notifications/x")).rejects.toMatchObject({ code: "closed", outcome: "not-sent" });
  });

  it("may be deaf and slow: calls and notifications end by their deadline, and each close() waits for the end", async () => {
    const clock = useManualClock();
    let closeCount = 0;
    const never = (): Promise<never> => new Promise(() => undefined);
    const deaf = {
      request: never,
      notification: never,
      close: async () => {
        await Promise.resolve();
        closeCount += 1;
      },
      getServerCapabilities: () => ({}),
      getServerVersion: () => undefined,
      getInstructions: () => undefined,
    };
    const connection = await connect({ id: "srv", ...custom(() => deaf) });
    const call = connection.callTool("echo", {}, { timeoutMs: 1000 });
    const notified = connection.notify("notifications/x");
    clock.advance(60_000);
    await expect(call).rejects.toMatchObject({ code: "call_timeout", outcome: "unknown" });
    await expect(notified).rejects.toMatchObject({ code: "request_timeout", outcome: "unknown" });
    void connection.close();
    await connection.close();
    expect(closeCount).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it.each([
    { name: "their own signals", options: () => ({ signal: new AbortController().signal }) },
    { name: "no signal", options: () => ({}) },
  ])("may have many requests under way, with $name, and no listener is at a signal that they share", async (given) => {
    const client = await openClientV1();
    client.request = () => new Promise(() => undefined);
    const connection = await connect({ id: "srv", ...custom(() => client) });
    const warnings = await nodeWarnings(async () => {
      const requests = Array.from({ length: 20 }, async () => connection.request("x/y", {}, given.options()));
      await connection.close();
      const settled = await Promise.allSettled(requests);
      expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    });
    expect(warnings).toEqual([]);
  });

  it("goes down with its client", async () => {
    const client = await openClientV1();
    const onDown = vi.fn<() => void>();
    await connect({ id: "srv", ...custom(() => client) }, { onDown });
    await client.close();
    await vi.waitFor(() => expect(onDown).toHaveBeenCalled(), 60_000);
    expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "connection_closed" }));
  });

  it.each([
    { name: "v1", open: openClientV1 },
    { name: "v2", open: openClientV2 },
  ])("maps its errors, deadlines and aborts: $name", async ({ open }) => {
    const connection = await connect({ id: "srv", ...custom(open) });
    await expect(connection.request("no/such")).rejects.toMatchObject({
      outcome: "failed",
      details: { rpcCode: -32_601 },
    });
    const aborted = connection.callTool("echo", { text: "x" }, { signal: AbortSignal.abort("enough") });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    await connection.close();
  });
});

describe("a transport of one's own", () => {
  it.each([
    { name: "401 of the v1 line", thrown: Object.assign(new Error("HTTP 401"), { code: 401 }), code: "auth_required" },
    {
      name: "403 of the v2 line",
      thrown: Object.assign(new Error("no"), { code: "X", status: 403 }),
      code: "forbidden",
    },
  ])("ends the search with $code when it throws $name: nothing else is tried", async ({ thrown, code }) => {
    const sent: unknown[] = [];
    const open = () => ({
      start: async () => undefined,
      send: async (message: unknown) => {
        sent.push(message);
        throw thrown;
      },
      close: async () => undefined,
    });
    await expect(connect({ id: "srv", ...custom(open) })).rejects.toMatchObject({
      code,
      serverId: "srv",
      outcome: "not-sent",
      message: expect.stringContaining(thrown.message),
    });
    expect(sent).toHaveLength(1);
  });

  it("is told to be gone, however soon after the handshake it closes", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const onDown = vi.fn<() => void>();
      const connecting = connect({ id: "srv", era: "legacy", ...custom(() => closingAfter(turns)) }, { onDown });
      const connected = await connecting.then(
        () => true,
        () => false,
      );
      await new Promise((resolve) => setImmediate(resolve));
      expect([turns, onDown.mock.calls.length]).toEqual([turns, connected ? 1 : 0]);
    }
  });
});

// Answers `initialize`, and closes so many microtasks after it was told that the handshake is over.
function closingAfter(turns: number) {
  const transport = {
    start: async () => undefined,
    close: async () => undefined,
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    async send(message: unknown) {
      const { id, method } = message as { readonly id?: number; readonly method: string };
      const result = { protocolVersion: "2025-11-25", capabilities: {} };
      if (method === "initialize") queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id, result }));
      else void closeLater();
    },
  };
  const closeLater = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    transport.onclose?.();
  };
  return transport;
}

describe("a call through a client of one's own", () => {
  it.each(lines)("ends with an abort, which the server hears of: $name", async ({ open }) => {
    const { connection, aborted } = await openWithWait(open);
    const controller = new AbortController();
    const call = connection.callTool(
      "wait",
      {},
      { signal: controller.signal, onProgress: () => controller.abort("enough") },
    );
    await expect(call).rejects.toMatchObject({ code: "aborted", outcome: "unknown", toolName: "wait" });
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce(), 60_000);
    await connection.close();
  });

  it.each(lines)("ends with call_timeout: $name", async ({ open }) => {
    const { connection } = await openWithWait(open);
    await expect(connection.callTool("wait", {}, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "call_timeout",
      outcome: "unknown",
    });
    await connection.close();
  });

  it.each(lines)("ends with close(): $name", async ({ open }) => {
    const { connection } = await openWithWait(open);
    const call = connection.callTool("wait", {}, { onProgress: () => void connection.close() });
    await expect(call).rejects.toMatchObject({ code: "closed", outcome: "unknown" });
  });

  it.each(lines)("ends before onDown when the client does: $name", async ({ open }) => {
    const order: string[] = [];
    const { connection, client } = await openWithWait(open, { onDown: () => order.push("down") });
    const call = connection
      .callTool("wait", {}, { onProgress: () => void client.close() })
      .catch(({ code }) => order.push(code));
    await call;
    await vi.waitFor(() => expect(order).toEqual(["connection_closed", "down"]), 60_000);
  });
});

describe("what open() of a custom spec returns", () => {
  it.each([{ value: undefined }, { value: {} }, { value: "transport" }])(
    "is refused when it is $value",
    async ({ value }) => {
      const connecting = connect({ id: "srv", ...custom(() => value) });
      await expect(connecting).rejects.toMatchObject({ code: "internal_error", outcome: "not-sent" });
    },
  );

  it("is unreachable when it throws, with the cause", async () => {
    const cause = new Error("no tunnel");
    const connecting = connect({ id: "srv", ...custom(() => Promise.reject(cause)) });
    await expect(connecting).rejects.toMatchObject({ code: "unreachable", cause });
  });

  it("is closed when it comes after the deadline", async () => {
    const clock = useManualClock();
    const close = vi.fn<() => Promise<void>>(async () => undefined);
    let arrive: (value: unknown) => void = () => undefined;
    const arriving = new Promise((resolve) => {
      arrive = resolve;
    });
    const connecting = connect({ id: "srv", ...custom(() => arriving), timeouts: { connectMs: 10 } });
    clock.advance(10);
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
    arrive({ start: async () => undefined, send: async () => undefined, close });
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), 60_000);
  });

  it("is given up when it does not close in time", async () => {
    const hanging = {
      start: async () => undefined,
      send: async () => undefined,
      close: () => new Promise(() => undefined),
    };
    const connecting = connect({
      id: "srv",
      ...custom(() => hanging),
      timeouts: { connectMs: 50, probeMs: 20, closeMs: 20 },
    });
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
  });
});

async function openWithWait(open: (typeof lines)[number]["open"], options: ConnectOptions = {}) {
  const aborted = vi.fn<() => void>();
  const server = createServerV1();
  server.registerTool("wait", {}, async ({ signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    }
    await new Promise((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener("abort", resolve, { once: true });
    });
    aborted();
    return { content: [] };
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = open();
  await client.connect(near);
  const connection = await connect({ id: "srv", ...custom(() => client) }, options);
  return { connection, client, server, aborted };
}
