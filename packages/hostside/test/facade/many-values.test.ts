import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { createHost, type HostOptions } from "hostside";
import { createHostGateway, serveStdio } from "hostside/gateway";
import { describe, expect, it } from "vitest";

type Servers = NonNullable<HostOptions["servers"]>;

/** The source of a server that answers `flood` with 700,000 numbers, and `say` with a word. */
const answers = `
  const tools = ["flood", "say"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const initialized = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  const content = [{ type: "text", text: "hello" }];
  const resultOf = ({ method, params }) =>
    method === "initialize" ? initialized
    : method === "tools/list" ? { tools }
    : params?.name === "flood" ? { content, structuredContent: { rows: Array(700000).fill(0) } }
    : { content };
`;
const program = `
  import { createInterface } from "node:readline";
  ${answers}
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) }) + "\\n");
  }
`;
const stdio = { command: process.execPath, args: ["--input-type=module", "-e", program] };

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}
// The same answers, for servers in this process.
// eslint-disable-next-line @typescript-eslint/no-implied-eval
const resultOf = new Function(`${answers} return resultOf;`)() as (message: Message) => object;

const memory = {
  type: "memory" as const,
  serve(transport: { onmessage?: (message: Message) => void; start(): Promise<void>; send(message: object): void }) {
    transport.onmessage = (message) => {
      if (message.id !== undefined) transport.send({ jsonrpc: "2.0", id: message.id, result: resultOf(message) });
    };
    return transport.start();
  },
};

/** The same over HTTP, with answers as JSON or as a stream of events. */
async function listen(kind: "json" | "events") {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const message = JSON.parse(body) as Message;
      if (message.id === undefined) return response.writeHead(202).end();
      const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) });
      if (kind === "json") return response.writeHead(200, { "content-type": "application/json" }).end(answer);
      return response.writeHead(200, { "content-type": "text/event-stream" }).end(`: hi\n\ndata: ${answer}\n\n`);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.close() };
}

async function startFlood(kind: "stdio" | "memory" | "json" | "events") {
  if (kind === "stdio") return { flood: stdio, close: () => undefined };
  if (kind === "memory") return { flood: memory as unknown as Servers[string], close: () => undefined };
  const { url, close } = await listen(kind);
  return { flood: { url }, close };
}

describe("a server whose answer has more JSON values than maxMessageValues", () => {
  it.each(["stdio", "memory", "json", "events"] as const)("fails that call (%s), and nothing else", async (kind) => {
    const { flood, close } = await startFlood(kind);
    await using host = await createHost({ servers: { flood, near: stdio } });
    const flooded = host.call("mcp_flood_flood");
    const near = host.call("mcp_near_say");
    await expect(flooded).rejects.toMatchObject({
      code: "message_too_large",
      serverId: "flood",
      toolName: "flood",
      details: { operation: "tools/call", usage: { limit: 100_000 } },
      message: expect.stringMatching(
        /tools\/call of "flood" on server "flood" failed: .* 7000\d\d JSON values \(limits.maxMessageValues is 100000\)/,
      ) as string,
    });
    for (const answer of [await near, await host.call("mcp_flood_say")]) {
      expect(answer).toMatchObject({ content: [{ type: "text", text: "hello" }], isError: false });
    }
    close();
  });

  it("is let through by a larger limit of its own", async () => {
    await using host = await createHost({ servers: { flood: { ...stdio, limits: { maxMessageValues: 800_000 } } } });
    const { structuredContent } = await host.call("mcp_flood_flood");
    expect((structuredContent as { rows: unknown[] }).rows).toHaveLength(700_000);
  });
});

describe("a gateway's client whose message has more JSON values than maxBodyValues", () => {
  const open = async () => {
    const host = await createHost({ servers: { near: stdio } });
    const gateway = createHostGateway(host, { name: "g", version: "1", expose: "all" });
    return { gateway, [Symbol.asyncDispose]: () => gateway.close().then(() => host.close()) };
  };
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
  };
  const flood = JSON.stringify({
    ...initialize,
    id: 2,
    method: "ping",
    params: { members: Array.from({ length: 500_000 }, () => ({})) },
  });

  it("is answered with 413 over HTTP, and others are served", async () => {
    await using served = await open();
    const handler = served.gateway.http({ auth: { token: "0123456789abcdef0123" } });
    const post = (body: string): Promise<Response> =>
      handler.fetch(
        new Request("http://127.0.0.1:7777/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            authorization: "Bearer 0123456789abcdef0123",
          },
          body,
        }),
      );
    const [refused, near] = await Promise.all([post(flood), post(JSON.stringify(initialize))]);
    expect(refused.status).toBe(413);
    expect(await refused.text()).toMatch(/5000\d\d JSON values: more than maxBodyValues, 100000/);
    expect(near.status).toBe(200);
  });

  it("is answered with an error over stdio, and goes on", async () => {
    await using served = await open();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const lines = textOf(output);
    const pipes = serveStdio(served.gateway, { input, output });
    input.end(`${flood}\n${JSON.stringify(initialize)}\n`);
    await pipes.ended;
    output.end();
    const [refused, near] = (await lines).trim().split("\n");
    expect(refused).toMatch(/"code":-32700,"message":"The message has 5000\d\d JSON values: more than maxBodyValues/);
    expect(near).toContain('"protocolVersion"');
  });
});
