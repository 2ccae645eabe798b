import type { JsonObject, MemoryEntry, ServerEntry } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";

/** What a server is at a moment; replaced while the host is connected. */
interface Server {
  speaks: "2025-11-25" | "2026-07-28";
  isInitialized: boolean;
  /** What it refuses a request of the other revision with. */
  refusal: JsonObject;
  readonly methods: string[];
  ran: number;
}

const notInitialized = { code: -32_000, message: "Bad Request: Server not initialized" };
const capabilities = { tools: {} };

function createServer(speaks: Server["speaks"]): Server {
  return { speaks, isInitialized: false, refusal: {}, methods: [], ran: 0 };
}

function answer(server: Server, { method, params }: JsonObject): JsonObject {
  const name = typeof method === "string" ? method : "";
  server.methods.push(name);
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  const isModern = isJsonObject(meta) && meta["io.modelcontextprotocol/protocolVersion"] !== undefined;
  if (isModern !== (server.speaks === "2026-07-28")) {
    return { error: name === "server/discover" ? { code: -32_601, message: "Method not found" } : server.refusal };
  }
  if (name === "server/discover") {
    return { result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities } };
  }
  if (name === "initialize") {
    server.isInitialized = true;
    return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } } };
  }
  if (!isModern && !server.isInitialized) return { error: notInitialized };
  if (name === "tools/list") {
    return { result: { resultType: "complete", tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
  }
  server.ran += 1;
  return { result: { resultType: "complete", content: [] } };
}

interface Place {
  readonly name: string;
  readonly open: (server: Server) => {
    readonly transport: ServerEntry;
    readonly options: ConnectorOptions;
  };
}

interface ServerEnd {
  onmessage?: ((message: JsonObject) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

const http = (id: (given: unknown) => unknown): Place["open"] => {
  return (server) => ({
    transport: { type: "http", url: "http://127.0.0.1/mcp" },
    options: {
      async fetch(_url, { method, body }) {
        if (method !== "POST" || typeof body !== "string") return new Response(null, { status: 405 });
        const message = JSON.parse(body) as JsonObject;
        if (message["id"] === undefined) return new Response(null, { status: 202 });
        const made = answer(server, message);
        const isRefused = "error" in made;
        const members = { jsonrpc: "2.0", id: isRefused ? id(message["id"]) : message["id"], ...made };
        return Response.json(members, { status: isRefused ? 400 : 200 });
      },
    },
  });
};

const overOneChannel: Place["open"] = (server) => {
  const serve: MemoryEntry["serve"] = (end: never) => {
    const transport = end as ServerEnd;
    transport.onmessage = (message) => {
      const { id } = message;
      if (id !== undefined) void transport.send({ jsonrpc: "2.0", id, ...answer(server, message) });
    };
    return transport.start();
  };
  return { transport: { type: "memory", serve }, options: {} };
};

const places: readonly Place[] = [
  { name: "HTTP, which names the request", open: http((id) => id) },
  { name: "HTTP, which names no request", open: http(() => null) },
  { name: "one channel", open: overOneChannel },
];

async function connectTo(server: Server, { open }: Place): Promise<McpProvider> {
  const { transport, options } = open(server);
  const connector = createConnector(options);
  const provider = createProvider({ connector, servers: [{ id: "s", ...transport }] });
  await provider.init();
  await provider.call("mcp_s_echo");
  expect(server.ran).toBe(1);
  server.methods.length = 0;
  return provider;
}

const callsIn = (server: Server): number => server.methods.filter((method) => method === "tools/call").length;

describe.each(places)("a server over $name", (place) => {
  it("that lost its initialization is initialized again by the next call, and the one it refused is not sent again", async () => {
    const server = createServer("2025-11-25");
    await using provider = await connectTo(server, place);
    server.isInitialized = false;
    expect(await failureOf(provider.call("mcp_s_echo"))).toMatchObject({
      code: "session_expired",
      outcome: "unknown",
      retryable: false,
    });
    expect([callsIn(server), server.ran]).toEqual([1, 1]);
    await provider.call("mcp_s_echo");
    expect([callsIn(server), server.ran]).toEqual([2, 2]);
    expect(provider.statuses()[0]).toMatchObject({ state: "ready" });
  });

  it.each([
    ["2026-07-28", "2025-11-25", { code: -32_022, message: "no", data: { supported: ["2025-11-25"] } }],
    ["2025-11-25", "2026-07-28", { code: -32_022, message: "no", data: { supported: ["2026-07-28"] } }],
    ["2025-11-25", "2026-07-28", { code: -32_021, message: "no", data: { requiredCapabilities: {} } }],
  ] as const)(
    "that spoke %s and speaks %s now is connected to anew by the next call (%j)",
    async (before, after, refusal) => {
      const server = createServer(before);
      await using provider = await connectTo(server, place);
      Object.assign(server, { speaks: after, refusal });
      expect(await failureOf(provider.call("mcp_s_echo"))).toMatchObject({
        code: "unsupported_protocol",
        outcome: "failed",
      });
      expect([callsIn(server), server.ran]).toEqual([1, 1]);
      await provider.call("mcp_s_echo");
      expect([callsIn(server), server.ran]).toEqual([2, 2]);
      expect(provider.statuses()[0]).toMatchObject({ state: "ready", server: { protocolVersion: after } });
    },
  );
});
