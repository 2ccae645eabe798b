import type { JsonObject, ServerSpec } from "@hostside/core";

interface ServerEnd {
  onmessage?: (message: JsonObject) => void;
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
}

/** What a server answers each method with; `say` sends something before that. */
export type Script = Readonly<
  Record<string, (params: JsonObject, say: (message: JsonObject) => Promise<void>) => unknown>
>;

/**
 * A server of 2025-11-25 in this process that answers by a script, with whatever the script says.
 */
export function scriptedServer(id: string, script: Script): ServerSpec {
  const serve = (serverTransport: never): unknown => {
    const transport = serverTransport as ServerEnd;
    transport.onmessage = ({ id: requestId, method, params }) => {
      if (requestId === undefined || typeof method !== "string") return;
      const answer = script[method] ?? defaults[method];
      const respond = async (): Promise<void> => {
        const result = await answer?.((params ?? {}) as JsonObject, (message) => transport.send(message));
        const error = { code: -32601, message: "Method not found" };
        await transport.send({
          jsonrpc: "2.0",
          id: requestId,
          ...(answer ? { result: result as JsonObject } : { error }),
        });
      };
      void respond();
    };
    return transport.start();
  };
  return { id, type: "memory", serve };
}

const defaults: Script = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
    serverInfo: { name: "scripted", version: "1" },
  }),
  "logging/setLevel": () => ({}),
  "tools/list": () => ({ tools: [] }),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "prompts/list": () => ({ prompts: [] }),
};
