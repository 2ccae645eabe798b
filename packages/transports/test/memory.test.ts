import type { InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer as McpServerV1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Connection, JsonObject, ServerSpec } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { connect } from "../src/index.ts";
import { createServerV1, memory } from "./in-process-servers.ts";
import { useManualClock } from "../../../test/manual-clock.ts";

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
    const spec: ServerSpec = { id: "srv", ...memory(serve) };
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
    const connecting = connect({ id: "srv", ...memory(serve) });
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
    await connect({ id: "srv", ...memory((end) => server.connect(end)) }, { onDown });
    await server.close();
    expect(onDown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "connection_closed" }));
  });

  it("fails a call with protocol_error whose answer is nested too deeply, and reads the next one", async () => {
    const diagnostics: string[] = [];
    const deep: unknown = JSON.parse("[".repeat(1000) + "]".repeat(1000));
    const connection = await connect(
      {
        id: "srv",
        era: "legacy",
        ...memory(async (end) => {
          const send = end.send.bind(end);
          await createServerV1().connect(end);
          end.send = async (message) => {
            const isResult = "result" in message && "content" in message.result;
            if (!isResult) return send(message);
            await send({ jsonrpc: "2.0", method: "notifications/x", params: { deep } });
            return send({ ...message, result: { ...message.result, deep } });
          };
        }),
      },
      { onDiagnostic: ({ message }) => diagnostics.push(message) },
    );
    await expect(connection.callTool("echo", { text: "x" })).rejects.toMatchObject({
      code: "protocol_error",
      outcome: "unknown",
      toolName: "echo",
    });
    expect(diagnostics).toEqual(['server "srv" sent a message nested deeper than 512 levels']);
    await expect(connection.listTools()).resolves.toMatchObject({ tools: [{ name: "echo" }] });
    await connection.close();
  });

  it.each<[string, string, (connection: Connection) => Promise<unknown>]>([
    ["no method", "request(): the method must be a text", (it) => it.request(undefined as never)],
    ["a blank method", 'request(): the method must be a text that is not empty, not ""', (it) => it.request("")],
    [
      "a text for params",
      "request(): params must be an object, not a string",
      (it) => it.request("ping", "x" as never),
    ],
    [
      "a Map for params",
      "request(): params must be an object, not a Map",
      (it) => it.request("ping", new Map() as never),
    ],
    [
      "a Map for options",
      "a request takes its options as an object, not a Map",
      (it) => it.request("ping", {}, new Map() as never),
    ],
    ["a notification without a method", "notify(): the method must be a text", (it) => it.notify(5 as never)],
    [
      "a list for params",
      "notify(): params must be an object, not an array",
      (it) => it.notify("notifications/x", [] as never),
    ],
    [
      "no tool",
      "callTool(): the name of a tool must be a string, not undefined",
      (it) => it.callTool(undefined as never, {}),
    ],
    ["an option of a call", 'a call has no option "timeout"', (it) => it.callTool("echo", {}, { timeout: 1 } as never)],
    ["an option of a listing", 'listTools() has no option "timeout"', (it) => it.listTools({ timeout: 1 } as never)],
    ["a wish that is none", "wants must be a function", (it) => it.listTools({ wants: ["echo"] as never })],
    ["a number for a URI", "", (it) => it.subscribeResource(5 as never)],
  ])("refuses %s with a TypeError, and sends nothing", async (_, message, ask) => {
    const sent: unknown[] = [];
    const connection = await connect({
      id: "srv",
      ...memory(async (end) => {
        await createServerV1().connect(end);
        const receive = end.onmessage;
        end.onmessage = (received, extra) => {
          sent.push(received);
          receive?.(received, extra);
        };
      }),
    });
    sent.length = 0;
    const failure = await ask(connection).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message: expect.stringContaining(message) });
    expect(sent).toEqual([]);
    await connection.close();
  });

  it("takes no arguments of a call for {}, and refuses those that are no JSON object", async () => {
    const connection = await connect({ id: "srv", ...memory((end) => createServerV1().connect(end)) });
    const call = (args: unknown): Promise<unknown> => connection.callTool("echo", args as JsonObject);
    await expect(call(new Map([["text", "x"]]))).rejects.toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining("not a Map"),
    });
    await expect(call("{}")).rejects.toMatchObject({ code: "invalid_arguments" });
    await expect(call(undefined)).resolves.toMatchObject({ isError: true });
    await connection.close();
  });

  it("shares no object with the host", async () => {
    const sent: JsonObject[] = [];
    const connection = await connect({
      id: "srv",
      ...memory(async (end) => {
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
    const clock = useManualClock();
    const connection = await connect(
      { id: "srv", ...memory((end) => createAskingServer().connect(end)) },
      {
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

function createAskingServer(): McpServerV1 {
  const server = new McpServerV1({ name: "asking", version: "1" });
  server.registerTool("ask", {}, async ({ sendRequest }) => {
    const params = { message: "?", requestedSchema: { type: "object" as const, properties: {} } };
    const { action } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return { content: [{ type: "text", text: action }] };
  });
  return server;
}
