import type { JsonObject, MemoryEntry } from "@hostside/core";

interface ServerEnd {
  onmessage?: (message: JsonObject) => void;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

/** A server in this process that answers every call, and keeps what it was sent. */
export interface MemoryServer {
  readonly spec: MemoryEntry;
  /** Parameters of all requests but those of the handshake, in order. */
  readonly received: readonly { readonly method: string; readonly params: JsonObject }[];
}

/** Makes one with these tools; `answer` may answer a call otherwise. */
export function createMemoryServer(
  tools: readonly string[],
  answer: (params: JsonObject) => JsonObject = () => ({ result: { content: [{ type: "text", text: "done" }] } }),
): MemoryServer {
  const received: { readonly method: string; readonly params: JsonObject }[] = [];
  const reply = (method: unknown, params: JsonObject): JsonObject => {
    if (method === "initialize") {
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      return { result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "memory", version: "1" } } };
    }
    if (method === "tools/list") {
      return { result: { tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) } };
    }
    if (method === "resources/read") return { result: { contents: [{ uri: params["uri"] ?? "", text: "read" }] } };
    if (method === "prompts/get") return { result: { messages: [] } };
    if (method === "tools/call") return answer(params);
    return { error: { code: -32_601, message: "no such method" } };
  };
  const serve = async (end: ServerEnd): Promise<void> => {
    end.onmessage = ({ id, method, params }) => {
      if (id === undefined) return;
      const given = (params ?? {}) as JsonObject;
      if (method !== "initialize" && method !== "server/discover")
        received.push({ method: typeof method === "string" ? method : "", params: given });
      void end.send({ jsonrpc: "2.0", id, ...reply(method, given) });
    };
    await end.start();
  };
  return { spec: { type: "memory", serve }, received };
}
