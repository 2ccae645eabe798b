import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "@hostside/core";
import * as z from "zod";
import { answer, clientInfo, latch, type StartTalker } from "./talker.ts";

/** The client of the official SDK's current line, version 2. */
export const startSdkV2: StartTalker = async ({ address, era, answersQuestions }) => {
  const changed = latch();
  const client = new Client(clientInfo, {
    versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: era } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed.open } },
    ...(answersQuestions && { capabilities: { elicitation: { form: {}, url: {} } } }),
  });
  if (answersQuestions) client.setRequestHandler("elicitation/create", async () => answer);
  await client.connect(
    address.type === "stdio"
      ? new StdioClientTransport({ command: address.command, args: [...address.args], stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(address.url)),
  );
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args, { signal, timeoutMs, onProgress } = {}) =>
      (await client.callTool(
        { name, arguments: args },
        {
          ...(signal && { signal }),
          ...(timeoutMs !== undefined && { timeout: timeoutMs }),
          ...(onProgress && { onprogress: onProgress }),
        },
      )) as JsonObject,
    request: async (method, params) => (await client.request({ method, params }, z.looseObject({}))) as JsonObject,
    toolsChanged: () => changed.opened,
    async close() {
      // What its documentation says to do with a session before the client is closed.
      const { transport } = client;
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
};
