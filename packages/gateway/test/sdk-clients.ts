import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OldTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@hostside/core";
import type { Gateway } from "@hostside/gateway";

/** How a host calls a tool. */
export interface HostCall {
  readonly args?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly progress: number }) => void;
}

/** A host of somebody else, whichever SDK it has. */
export interface Host extends AsyncDisposable {
  list(): Promise<readonly { readonly name: string }[]>;
  call(name: string, call?: HostCall): Promise<JsonObject>;
  /** Answers what its user is asked. */
  answer(answer: (params: JsonObject) => ElicitResult): void;
  onToolsChanged(listener: () => void): void;
}

/** A host that is not connected yet, and over what it connects. */
export interface HostWay {
  readonly name: string;
  readonly connect: (gateway: Gateway, url: string) => Promise<Host>;
}

/** The token that {@linkcode hostWays} have. */
export const token = "0123456789abcdef0123";

const info = { name: "test-host", version: "1.0.0" };
const capabilities = { elicitation: {} };
const requestInit = { headers: { authorization: `Bearer ${token}` } };

/** Both lines of the SDK, in each era that they speak, over both transports. */
export const hostWays: readonly HostWay[] = (["pipes", "http"] as const).flatMap((way) => [
  {
    name: `SDK 1 over ${way}`,
    connect: (gateway, url) => connectOld(way === "pipes" ? pipeTo(gateway) : oldHttpTo(url)),
  },
  ...(["legacy", "modern"] as const).map((era): HostWay => ({
    name: `SDK 2, ${era}, over ${way}`,
    connect: (gateway, url) => connectNew(era, way === "pipes" ? pipeTo(gateway) : httpTo(url)),
  })),
]);

/** A host on version 2 of the SDK. */
export async function connectNew(era: "legacy" | "modern", transport: Transport): Promise<Host> {
  let heard = (): void => {};
  const client = new Client(info, {
    capabilities,
    versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => heard() } },
  });
  let answer = (_params: JsonObject): ElicitResult => ({ action: "cancel" });
  client.setRequestHandler("elicitation/create", ({ params }) => answer(params as unknown as JsonObject));
  await client.connect(transport);
  return {
    list: async () => (await client.listTools(undefined, { cacheMode: "refresh" })).tools,
    async call(name, { args = {}, signal, onProgress } = {}) {
      const options = { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) };
      return (await client.callTool({ name, arguments: args }, options)) as JsonObject;
    },
    answer(other) {
      answer = other;
    },
    onToolsChanged(listener) {
      heard = listener;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A host on version 1 of the SDK. */
export async function connectOld(transport: OldTransport | Transport): Promise<Host> {
  const client = new OldClient(info, { capabilities });
  let answer = (_params: JsonObject): ElicitResult => ({ action: "cancel" });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params as unknown as JsonObject));
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    async call(name, { args = {}, signal, onProgress } = {}) {
      const options = { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) };
      return (await client.callTool({ name, arguments: args }, CallToolResultSchema, options)) as JsonObject;
    },
    answer(other) {
      answer = other;
    },
    onToolsChanged(listener) {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => listener());
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Over pipes in one process: what `gateway.connect` gives, as a transport of the SDK. */
export function pipeTo(gateway: Gateway): Transport {
  const transport: Transport = {
    async start() {},
    async send(message) {
      const text = JSON.stringify(message);
      queueMicrotask(() => connection.receive(text));
    },
    async close() {
      await connection.close("the client closed");
      transport.onclose?.();
    },
  };
  const connection = gateway.connect((text) => {
    queueMicrotask(() => transport.onmessage?.(JSON.parse(text) as JSONRPCMessage));
    return true;
  });
  return transport;
}

/** Streamable HTTP of version 2. */
export function httpTo(url: string): Transport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}

function oldHttpTo(url: string): OldTransport {
  return new OldHttp(new URL(url), { requestInit });
}
