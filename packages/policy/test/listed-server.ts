import type { JsonObject, JsonValue, MemoryEntry } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

interface ServerEnd {
  onmessage?: ((message: JsonObject) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

/** A small server inside this process whose listing a test owns, entry by entry. */
export interface ListedServer {
  readonly transport: MemoryEntry;
  /** The entries of `tools/list`, as they are sent. */
  entries: readonly JsonObject[];
  /** What its handshake says of it, beside its capabilities. */
  says: { serverInfo: JsonObject; instructions?: string };
  /** The text of results. */
  answer: string;
  /** With what the next calls are refused, in turn. */
  readonly errors: JsonObject[];
  /** The parameters of the calls that came. */
  readonly calls: JsonObject[];
  /** Every message that came, as JSON. */
  readonly heard: string[];
}

/** An entry of a listing. */
export function entryOf(name: string, more: JsonObject = {}): JsonObject {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more };
}

/** Makes a server of the handshake era that has these tools. */
export function createListedServer(...entries: readonly JsonObject[]): ListedServer {
  const answer = (method: JsonValue | undefined, params: JsonValue | undefined): JsonObject | undefined => {
    if (method === "initialize") {
      return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, ...server.says };
    }
    if (method === "tools/list") return { tools: server.entries };
    if (method !== "tools/call" || !isJsonObject(params)) return undefined;
    server.calls.push(params);
    return { content: [{ type: "text", text: server.answer }] };
  };
  // The type of the far end is the connector's business; core keeps it opaque.
  const serve = (far: never): unknown => {
    const end = far as ServerEnd;
    end.onmessage = (message) => {
      server.heard.push(JSON.stringify(message));
      const { id, method, params } = message;
      if (id === undefined) return;
      const result = answer(method, params);
      const refusal = method === "tools/call" ? server.errors.shift() : undefined;
      const error = refusal ?? { code: -32_601, message: "Method not found" };
      const isRefused = refusal !== undefined || result === undefined;
      void end.send({ jsonrpc: "2.0", id, ...(isRefused ? { error } : { result }) });
    };
    return end.start();
  };
  const says = { serverInfo: { name: "listed", version: "1.0.0" } };
  const server: ListedServer = {
    transport: { type: "memory", serve },
    entries,
    says,
    answer: "done",
    errors: [],
    calls: [],
    heard: [],
  };
  return server;
}
