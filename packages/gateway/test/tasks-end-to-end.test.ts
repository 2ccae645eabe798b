import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "@hostside/core";
import { listen, type GatewayServer } from "@hostside/gateway/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRaw, envelope } from "./raw-client.ts";
import { pipeTo, token } from "./sdk-clients.ts";
import { openWorld, type World } from "./upstream.ts";

let world: World;
let listening: GatewayServer;
beforeAll(async () => {
  world = await openWorld({ servers: ["official-scenarios"] });
  listening = await listen(world.gateway, { auth: { token } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await listening.close();
});

const ways = ["pipes", "http"] as const;
const info = { name: "test-host", version: "1.0.0" };
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const named = (tool: string): string => `mcp_official_scenarios_${tool}`;

describe.each(ways)("over %s, SDK 1 drives tasks of 2025-11-25", (way) => {
  it("to their end, with a question on the way", async () => {
    const client = new OldClient(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { confirm: true } }));
    const transport = way === "pipes" ? pipeTo(world.gateway) : new OldHttp(new URL(listening.url), { requestInit });
    await client.connect(transport);
    await client.listTools();
    const seen: string[] = [];
    let result: unknown;
    const params = { name: named("confirm_delete"), arguments: { filename: "a.txt" } };
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema)) {
      seen.push(message.type);
      if (message.type === "error") throw message.error;
      if (message.type === "result") ({ result } = message);
    }
    expect(seen[0]).toBe("taskCreated");
    expect(result).toMatchObject({ content: [{ text: "deleted a.txt" }] });
    await client.close();
  });
});

interface Asking {
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

const extensions = { "io.modelcontextprotocol/tasks": {} };

async function connectModern(way: (typeof ways)[number]): Promise<Asking> {
  if (way === "pipes") {
    const raw = connectRaw(world.gateway);
    const _meta = envelope({ extensions, elicitation: { form: {} } });
    return {
      ask: async (method, params) => (await raw.request(method, { ...params, _meta }))["result"] as JsonObject,
      close: async () => raw[Symbol.asyncDispose](),
    };
  }
  let last = 0;
  const post = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const response = await fetch(listening.url, {
      method: "POST",
      headers: {
        ...requestInit.headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": JSON.stringify(params["name"] ?? params["taskId"]).slice(1, -1),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: (last += 1),
        method,
        params: { ...params, _meta: envelope({ extensions, elicitation: { form: {} } }) },
      }),
    });
    return ((await response.json()) as JsonObject)["result"] as JsonObject;
  };
  return { ask: post, close: async () => undefined };
}

describe.each(ways)("over %s, a client of 2026-07-28 has tasks of its server's", (way) => {
  it("under another id, with its questions, to their end", async () => {
    const client = await connectModern(way);
    const plain = await client.ask("tools/call", { name: named("greet"), arguments: { name: "Ann" } });
    expect(plain).toMatchObject({ resultType: "complete", content: [{ text: "Hello, Ann!" }] });
    const created = await client.ask("tools/call", { name: named("multi_input"), arguments: {} });
    expect(created).toMatchObject({ resultType: "task", taskId: expect.stringMatching(/^[0-9a-f]{48}$/) });
    const { taskId = "" } = created;
    for (const [key, name] of [
      ["question-1", "Ann"],
      ["question-2", "Bob"],
    ] as const) {
      const asking = { status: "input_required", inputRequests: { [key]: { method: "elicitation/create" } } };
      await expect.poll(() => client.ask("tasks/get", { taskId })).toMatchObject(asking);
      await client.ask("tasks/update", { taskId, inputResponses: { [key]: { action: "accept", content: { name } } } });
    }
    const ended = { status: "completed", result: { content: [{ text: expect.stringMatching(/Ann.*Bob/) }] } };
    await expect.poll(() => client.ask("tasks/get", { taskId })).toMatchObject(ended);
    await client.close();
  });

  it("that are cancelled at the server", async () => {
    const client = await connectModern(way);
    const ended = new Promise<string | undefined>((resolve) => {
      const subscription = world.provider.onCallEnded(({ error }) => {
        subscription();
        resolve(error?.code);
      });
    });
    const { taskId = "" } = await client.ask("tools/call", { name: named("slow_compute"), arguments: { seconds: 60 } });
    await client.ask("tasks/cancel", { taskId });
    expect(await client.ask("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    expect(await ended).toBe("aborted");
    await client.close();
  });
});

it("a client of the SDK that has no tasks has the result of its call", async () => {
  const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(listening.url), { requestInit }));
  const result = await client.callTool({ name: named("slow_compute"), arguments: { seconds: 0 } });
  expect(result).toMatchObject({ content: [{ text: "computed for 0 s" }] });
  await client.close();
});
