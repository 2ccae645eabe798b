import { createHost, type Diagnostic, type HostOptions } from "hostside";
import { describe, expect, it } from "vitest";
import { startAnswering } from "./answering-server.ts";

/** The source of a server whose first tool has 700 schemas in each other. */
const source = `
  let inputSchema = { type: "object" };
  for (let level = 0; level < 700; level += 1) inputSchema = { type: "object", properties: { a: inputSchema } };
  const tools = [{ name: "deep", inputSchema }, { name: "say", inputSchema: { type: "object" } }];
  const results = {
    initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: "hello" }] },
  };
  const answer = ({ method }) =>
    results[method] ? { result: results[method] } : { error: { code: -32601, message: "Method not found" } };
`;
const program = `
  import { createInterface } from "node:readline";
  ${source}
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.id === undefined) continue;
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) }) + "\\n");
  }
`;

interface Message {
  readonly id?: number;
  readonly method: string;
}
// The same answers, for servers in this process.
// eslint-disable-next-line @typescript-eslint/no-implied-eval
const answer = new Function(`${source} return answer;`)() as (message: Message) => object;

/** The end of a server as a transport, which it is in memory and of one's own. */
const linked = () => {
  const transport = {
    onmessage: undefined as ((message: object) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    start: () => Promise.resolve(),
    close: () => Promise.resolve(transport.onclose?.()),
    send: (message: Message) => {
      if (message.id !== undefined) transport.onmessage?.({ jsonrpc: "2.0", id: message.id, ...answer(message) });
      return Promise.resolve();
    },
  };
  return transport;
};

interface ServerEnd {
  onmessage?: (message: Message) => void;
  start(): Promise<void>;
  send(message: object): void;
}

const servers: Readonly<Record<string, () => unknown>> = {
  stdio: () => ({ command: process.execPath, args: ["--input-type=module", "-e", program] }),
  HTTP: async () => ({ url: await startAnswering(answer) }),
  memory: () => ({
    type: "memory",
    serve(end: ServerEnd) {
      end.onmessage = (message) => {
        if (message.id !== undefined) end.send({ jsonrpc: "2.0", id: message.id, ...answer(message) });
      };
      return end.start();
    },
  }),
  "a transport of one's own": () => ({ type: "custom", open: linked }),
};

describe("a tool that is nested too deep", () => {
  it.each(Object.entries(servers))("costs no other tool of its server (%s)", async (_kind, start) => {
    const seen: Diagnostic[] = [];
    const s = (await start()) as NonNullable<HostOptions["servers"]>[string];
    await using host = await createHost({ servers: { s }, onDiagnostic: (diagnostic) => seen.push(diagnostic) });
    expect(await host.call("mcp_s_say")).toMatchObject({ content: [{ text: "hello" }] });
    expect(await host.call("mcp_s_deep")).toMatchObject({ content: [{ text: "hello" }] });
    expect(seen).toMatchObject([{ toolName: "deep", message: expect.stringContaining("64 levels") as string }]);
  });
});
