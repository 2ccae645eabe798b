import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@hostside/core";
import * as z from "zod";
import { answer, clientInfo, latch, type StartTalker } from "./talker.ts";

/**
 * The client of the official SDK's first line, which speaks the legacy era alone. It lists page by
 * page, so the pages are followed here.
 */
export const startSdkV1: StartTalker = async ({ address, answersQuestions }) => {
  const changed = latch();
  const client = new Client(clientInfo, {
    capabilities: answersQuestions ? { elicitation: { form: {}, url: {} } } : {},
  });
  if (answersQuestions) client.setRequestHandler(ElicitRequestSchema, async () => answer);
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed.open);
  const transport =
    address.type === "stdio"
      ? new StdioClientTransport({ command: address.command, args: [...address.args], stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(address.url));
  await client.connect(transport);
  return {
    async listTools() {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor });
        names.push(...page.tools.map(({ name }) => name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return names;
    },
    callTool: async (name, args, { signal, timeoutMs, onProgress } = {}) =>
      (await client.callTool({ name, arguments: args }, undefined, {
        ...(signal && { signal }),
        ...(timeoutMs !== undefined && { timeout: timeoutMs }),
        ...(onProgress && { onprogress: onProgress }),
      })) as JsonObject,
    request: async (method, params) => (await client.request({ method, params }, z.looseObject({}))) as JsonObject,
    toolsChanged: () => changed.opened,
    async close() {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
};
