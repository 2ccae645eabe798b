import type { JsonObject, MemoryEntry } from "@hostside/core";

interface ServerEnd {
  onmessage?: ((message: JsonObject) => void) | undefined;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

/** A server inside this process with one tool, `dump`, that answers every call with this result. */
export function createAnsweringServer(result: JsonObject): MemoryEntry {
  const answers: ReadonlyMap<unknown, JsonObject> = new Map([
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "dumps", version: "1" } },
    ],
    ["tools/list", { tools: [{ name: "dump", inputSchema: { type: "object" } }] }],
    ["tools/call", result],
  ]);
  return {
    type: "memory",
    // The type of the far end is the connector's business; core keeps it opaque.
    serve(far: never) {
      const end = far as ServerEnd;
      end.onmessage = ({ id, method }) => {
        if (id === undefined) return;
        const answer = answers.get(method);
        const error = { code: -32_601, message: "Method not found" };
        void end.send({ jsonrpc: "2.0", id, ...(answer === undefined ? { error } : { result: answer }) });
      };
      return end.start();
    },
  };
}
