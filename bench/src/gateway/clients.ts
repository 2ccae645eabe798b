// Prints what an idle client of a gateway costs, in kB of live heap:
// `pnpm --filter @hostside/bench gateway:clients [clients] [tools ...]`.
import type { JsonObject } from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import { createGateway, type Exposure, type HttpHandler } from "@hostside/gateway";
import { heapMb } from "../host/heap.ts";

const [count = 1000, ...given] = process.argv.slice(2).map(Number);
const toolCounts = given.length > 0 ? given : [64, 400];
const warm = 100;
const url = "http://127.0.0.1/mcp";
const metaPrefix = "io.modelcontextprotocol/";

/** What comes of a client, which is held as long as it is there. */
type Coming = (handler: HttpHandler, index: number) => Promise<unknown>;

const ways: Readonly<Record<string, Coming>> = {
  "a session, after initialize": begin,
  "after its list and a call": async (handler, index) => {
    const session = await begin(handler, index);
    await ask(handler, { "mcp-session-id": session }, { method: "tools/list", params: {} });
    await ask(handler, { "mcp-session-id": session }, { method: "tools/call", params: { name: "tool_1" } });
    return session;
  },
  "and while it listens": async (handler, index) => {
    const session = await ways["after its list and a call"]?.(handler, index);
    const headers = { accept: "text/event-stream", "mcp-session-id": String(session) };
    return handler.fetch(new Request(url, { headers }));
  },
  "2026-07-28, after a list and a call": async (handler, index) => {
    const _meta = {
      [`${metaPrefix}protocolVersion`]: "2026-07-28",
      [`${metaPrefix}clientCapabilities`]: {},
      [`${metaPrefix}clientInfo`]: { name: `program ${index}`, version: "1" },
    };
    const headers = (method: string): Record<string, string> => ({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    });
    await ask(handler, headers("tools/list"), { method: "tools/list", params: { _meta } });
    const params = { name: "tool_1", _meta };
    await ask(handler, { ...headers("tools/call"), "mcp-name": "tool_1" }, { method: "tools/call", params });
  },
};

async function ask(handler: HttpHandler, headers: Record<string, string>, message: JsonObject): Promise<Response> {
  const answer = await handler.fetch(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    }),
  );
  const { error } = (await answer.json()) as { readonly error?: unknown };
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return answer;
}

async function begin(handler: HttpHandler, index: number): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: `program ${index}` } };
  const answer = await ask(handler, {}, { method: "initialize", params });
  return answer.headers.get("mcp-session-id") ?? "";
}

function toolboxOf(tools: number): Toolbox {
  return createToolbox({
    tools: Array.from({ length: tools }, (_, index) => ({
      definition: {
        name: `tool_${index}`,
        description: `The tool number ${index}, which does what tools do`,
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
      },
      run: () => "done",
    })),
  });
}

async function bytesOf(toolbox: Toolbox, expose: Exposure, come: Coming): Promise<number> {
  const most = count + warm;
  const gateway = createGateway({
    name: "bench-gateway",
    version: "1.0.0",
    expose,
    tools: "all",
    limits: { maxSessions: most, maxSessionsPerPrincipal: most },
    open: ({ view }) => ({ tools: toolbox.view(view) }),
  });
  const handler = gateway.http({ auth: "none" });
  const held: unknown[] = [];
  // What the first ones load and compile is not what one more costs.
  for (let index = 0; index < warm; index += 1) held.push(await come(handler, index));
  const before = heapMb();
  for (let index = warm; index < most; index += 1) held.push(await come(handler, index));
  const bytes = ((heapMb() - before) * 1e6) / count;
  await gateway.close();
  if (held.length !== most) throw new Error("nobody came");
  return bytes;
}

process.stdout.write(`kB of heap of each of ${count} clients\n`);
for (const tools of toolCounts) {
  const toolbox = toolboxOf(tools);
  await toolbox.init();
  for (const expose of ["all", "search"] as const) {
    for (const [name, come] of Object.entries(ways)) {
      const kilobytes = ((await bytesOf(toolbox, expose, come)) / 1000).toFixed(1);
      process.stdout.write(`${tools} tools, "${expose}": ${name}: ${kilobytes}\n`);
    }
  }
}
