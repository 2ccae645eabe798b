import type { JsonObject, MemoryEntry } from "@hostside/core";

/** The server's end of a memory transport, as far as this server needs it. */
interface ServerEnd {
  onmessage?: (message: JsonObject) => void;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

/** A server in this process, and its tools, which a test may change. */
export interface MemoryServer {
  readonly spec: MemoryEntry;
  readonly tools: string[];
}

/** Makes a server of 2025-11-25 without any SDK: each of its tools returns its text. */
export function createMemoryServer(...tools: string[]): MemoryServer {
  const listed = (name: string): JsonObject => ({ name, description: name, inputSchema: { type: "object" } });
  const answer = (method: unknown, params: JsonObject): JsonObject => {
    switch (method) {
      case "initialize":
        return {
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "memory", version: "1.0.0" },
          },
        };
      case "tools/list":
        return { result: { tools: tools.map(listed) } };
      case "tools/call":
        return { result: { content: [{ type: "text", text: (params["arguments"] as JsonObject)["text"] ?? "" }] } };
      default:
        return { error: { code: -32_601, message: "Method not found" } };
    }
  };
  const serve = (end: ServerEnd): Promise<void> => {
    end.onmessage = ({ id, method, params }) => {
      if (id === undefined) return;
      void end.send({ jsonrpc: "2.0", id, ...answer(method, (params ?? {}) as JsonObject) });
    };
    return end.start();
  };
  return { spec: { type: "memory", serve }, tools };
}
