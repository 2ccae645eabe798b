import type { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject, ServerSpec } from "@toolport/core";
import { describe, expect, it, vi } from "vitest";
import { connect } from "../src/index.ts";
import { createServerV1, custom, memory, openClientV1, openClientV2 } from "./in-process-servers.ts";
import { createManualClock } from "./manual-clock.ts";

describe("a server in memory", () => {
  it("is served once per connection, and its end closes with the host's", async () => {
    const onclose = vi.fn<() => void>();
    const serve = vi.fn<(end: InMemoryTransport) => Promise<void>>(async (end) => {
      await createServerV1().connect(end);
      const before = end.onclose;
      end.onclose = () => {
        before?.();
        onclose();
      };
    });
    const spec: ServerSpec = { id: "srv", transport: memory(serve) };
    for (let count = 1; count <= 2; count += 1) {
      const connection = await connect(spec);
      await connection.close();
      expect([serve.mock.calls.length, onclose.mock.calls.length]).toEqual([count, count]);
    }
  });

  it.each([
    {
      name: "throws",
      serve: () => {
        throw new Error("no database");
      },
    },
    {
      name: "rejects",
      serve: async () => {
        throw new Error("no database");
      },
    },
  ])("fails with spawn_failed when serve $name, with the cause", async ({ serve }) => {
    const connecting = connect({ id: "srv", transport: memory(serve) });
    await expect(connecting).rejects.toMatchObject({ code: "spawn_failed", serverId: "srv" });
    const causes: unknown[] = [];
    for (
      let error: unknown = await connecting.catch((failure: unknown) => failure);
      error instanceof Error;
      error = error.cause
    ) {
      causes.push(error.message);
    }
    expect(causes.at(-1)).toBe("no database");
  });

  it("goes down when the server closes its end", async () => {
    const server = createServerV1();
    const onDown = vi.fn<() => void>();
    await connect({ id: "srv", transport: memory((end) => server.connect(end)) }, { onDown });
    await server.close();
    expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "connection_closed" }));
  });

  it("shares no object with the host", async () => {
    const sent: JsonObject[] = [];
    const connection = await connect({
      id: "srv",
      transport: memory(async (end) => {
        const send = end.send.bind(end);
        end.send = async (message) => {
          sent.push(message as unknown as JsonObject);
          return send(message);
        };
        await createServerV1().connect(end);
      }),
    });
    const { tools } = await connection.listTools();
    const listed = sent.map(({ result }) => (result as JsonObject | undefined)?.["tools"]).find(Array.isArray);
    expect(tools[0]?.inputSchema).toEqual(listed?.[0].inputSchema);
    expect(tools[0]?.inputSchema).not.toBe(listed?.[0].inputSchema);
    await connection.close();
  });
});

describe("the time a human takes", () => {
  it("does not count against the call's", async () => {
    const clock = createManualClock();
    const connection = await connect(
      { id: "srv", transport: memory((end) => createAskingServer().connect(end)) },
      {
        clock,
        onElicit: async () => {
          clock.advance(60_000);
          return { action: "accept", content: { answer: "late" } };
        },
      },
    );
    const call = connection.callTool("ask", {}, { timeoutMs: 1000 });
    await expect(call).resolves.toMatchObject({ content: [{ text: "accept" }] });
    await connection.close();
    expect(clock.pending()).toBe(0);
  });
});

describe("a connected client of one's own", () => {
  it.each([
    { name: "v1", open: openClientV1 },
    { name: "v2", open: openClientV2 },
  ])("keeps its own callbacks, is watched, and is closed with the connection: $name", async ({ open }) => {
    const client = await open();
    const onclose = vi.fn<() => void>();
    client.onclose = onclose;
    const onDown = vi.fn<() => void>();
    const connection = await connect({ id: "srv", transport: custom(() => client) }, { onDown });
    await connection.close();
    expect(onclose).toHaveBeenCalled();
    expect(onDown).not.toHaveBeenCalled();
    await expect(connect({ id: "srv", transport: custom(() => client) })).rejects.toMatchObject({
      code: "handshake_failed",
    });
  });

  it("goes down with its client", async () => {
    const client = await openClientV1();
    const onDown = vi.fn<() => void>();
    await connect({ id: "srv", transport: custom(() => client) }, { onDown });
    await client.close();
    expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "connection_closed" }));
  });

  it.each([
    { name: "v1", open: openClientV1 },
    { name: "v2", open: openClientV2 },
  ])("maps its errors, deadlines and aborts: $name", async ({ open }) => {
    const connection = await connect({ id: "srv", transport: custom(open) });
    await expect(connection.request("no/such")).rejects.toMatchObject({
      outcome: "failed",
      details: { rpcCode: -32_601 },
    });
    const aborted = connection.callTool("echo", { text: "x" }, { signal: AbortSignal.abort("enough") });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    await connection.close();
  });
});

describe("what open() of a custom spec returns", () => {
  it.each([{ value: undefined }, { value: {} }, { value: "transport" }])(
    "is refused when it is $value",
    async ({ value }) => {
      const connecting = connect({ id: "srv", transport: custom(() => value) });
      await expect(connecting).rejects.toMatchObject({ code: "internal_error", outcome: "not-sent" });
    },
  );

  it("is unreachable when it throws, with the cause", async () => {
    const cause = new Error("no tunnel");
    const connecting = connect({ id: "srv", transport: custom(() => Promise.reject(cause)) });
    await expect(connecting).rejects.toMatchObject({ code: "unreachable", cause });
  });

  it("is closed when it comes after the deadline", async () => {
    const clock = createManualClock();
    const close = vi.fn<() => Promise<void>>(async () => undefined);
    let arrive: (value: unknown) => void = () => undefined;
    const arriving = new Promise((resolve) => {
      arrive = resolve;
    });
    const connecting = connect(
      { id: "srv", transport: custom(() => arriving), timeouts: { connectMs: 10 } },
      { clock },
    );
    clock.advance(10);
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
    arrive({ start: async () => undefined, send: async () => undefined, close });
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
  });

  it("is given up when it does not close in time", async () => {
    const hanging = {
      start: async () => undefined,
      send: async () => undefined,
      close: () => new Promise(() => undefined),
    };
    const connecting = connect({
      id: "srv",
      transport: custom(() => hanging),
      timeouts: { connectMs: 50, probeMs: 20, closeMs: 20 },
    });
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
  });
});

function createAskingServer(): McpServerV1 {
  const server = new McpServerV1({ name: "asking", version: "1" });
  server.registerTool("ask", {}, async ({ sendRequest }) => {
    const params = { message: "?", requestedSchema: { type: "object" as const, properties: {} } };
    const { action } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return { content: [{ type: "text", text: action }] };
  });
  return server;
}
