import type { JsonObject, MemoryEntry } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** The server's end of a pair of transports, as far as this server needs it. */
interface ServerEnd {
  onmessage?: ((message: JsonObject) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** A small server inside this process, without an SDK. */
export interface MemoryServer {
  readonly transport: MemoryEntry;
  readonly tools: Set<string>;
  /** Texts of the calls that ran. */
  readonly ledger: string[];
  /** Times that it was connected to. */
  readonly connects: number;
  /** Says that its tools changed. */
  announce(): Promise<void>;
  /** Ends the session from its side. */
  die(): Promise<void>;
}

/** Makes a server of the handshake era. */
export function createMemoryServer(): MemoryServer {
  const tools = new Set(["echo"]);
  const ledger: string[] = [];
  let connects = 0;
  let end: ServerEnd | undefined;

  const answer = (method: unknown, params: unknown): JsonObject | undefined => {
    if (method === "initialize") {
      const serverInfo = { name: "memory", version: "1.0.0" };
      return { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true } }, serverInfo };
    }
    if (method === "tools/list")
      return { tools: Array.from(tools, (name) => ({ name, inputSchema: { type: "object" } })) };
    if (method !== "tools/call" || !isJsonObject(params) || !isJsonObject(params["arguments"])) return undefined;
    const text = JSON.stringify(params["arguments"]["text"]);
    ledger.push(text);
    return { content: [{ type: "text", text }] };
  };
  // The type of the far end is the connector's business; core keeps it opaque.
  const serve = (serverTransport: never): unknown => {
    const transport = serverTransport as ServerEnd;
    connects += 1;
    end = transport;
    transport.onmessage = ({ id, method, params }) => {
      if (id === undefined) return;
      const result = answer(method, params);
      const error = { code: -32601, message: "Method not found" };
      void transport.send({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) });
    };
    return transport.start();
  };
  return {
    transport: { type: "memory", serve },
    tools,
    ledger,
    get connects() {
      return connects;
    },
    announce: async () => end?.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
    die: async () => end?.close(),
  };
}
