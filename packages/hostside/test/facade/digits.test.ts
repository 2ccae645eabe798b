import type { Diagnostic } from "@hostside/core";
import { createChatTools } from "@hostside/adapters/openai";
import { createHost } from "hostside";
import { createHostGateway } from "hostside/gateway";
import { describe, expect, it, vi } from "vitest";
import { scriptedServer } from "../../../gateway/test/scripted-upstream.ts";

const id = "1915883588174806058";

function open(
  result: string,
  calls: unknown[] = [],
  onDiagnostic: (one: Diagnostic) => void = () => undefined,
): ReturnType<typeof createHost> {
  const { id: _id, ...entry } = scriptedServer("ids", {
    "tools/list": () => ({ tools: [{ name: "get", inputSchema: { type: "object" } }] }),
    "tools/call": ({ arguments: args }) => {
      calls.push(args);
      return JSON.parse(result);
    },
  });
  return createHost({ servers: { ids: entry }, onDiagnostic });
}

it("refuses a call whose arguments have lost digits, and names the place, wherever they come from", async () => {
  const calls: unknown[] = [];
  await using host = await open('{"content":[]}', calls);
  const conversation = await host.conversation();
  const refused = { code: "invalid_arguments", details: { violations: [{ path: "/order/id" }] } };
  await expect(conversation.call("mcp_ids_get", JSON.parse(`{"order":{"id":${id}}}`))).rejects.toMatchObject(refused);

  const call = { name: "mcp_ids_get", arguments: `{"order":{"id":${id}}}` };
  const [answer] = await createChatTools(conversation).answer({
    tool_calls: [{ type: "function", id: "c", function: call }],
  });
  expect(answer?.content).toContain("/order/id");
  expect(calls).toEqual([]);

  await conversation.call("mcp_ids_get", { id, at: 2 ** 53 - 1, mole: 6.022e23 });
  expect(calls).toEqual([{ id, at: 2 ** 53 - 1, mole: 6.022e23 }]);
});

it.each([
  { what: "alone", result: `{"content":[],"structuredContent":{"id":${id}}}`, reports: 1 },
  {
    what: "beside a text",
    result: `{"content":[{"type":"text","text":"${id}"}],"structuredContent":{"id":${id}}}`,
    reports: 0,
  },
])("reports structured content that has lost digits, $what: $reports", async ({ result, reports }) => {
  const diagnostics: Diagnostic[] = [];
  await using host = await open(result, [], (one) => diagnostics.push(one));
  const conversation = await host.conversation();
  await conversation.call("mcp_ids_get", {});
  await conversation.call("mcp_ids_get", {});
  expect(diagnostics.filter(({ message }) => message.includes("digits"))).toHaveLength(reports);
});

// Raw texts, whose numbers are other ones in JavaScript, also where a parsed value looks exact.
const lossy = [id, "1000000000000000000000000000001", "0.12345678901234567891"];
const hello = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "c", version: "1" } };
const modern = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The text of a call of `mcp_ids_get`, with a number as it is written. */
function callText(digits: string, meta: object): string {
  const params = { name: "mcp_ids_get", arguments: { order: [{ id: "DIGITS" }] }, _meta: meta };
  return JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params }).replace('"DIGITS"', digits);
}

const refusal = (digits: string): object => ({
  result: {
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(new RegExp(`"/order/0/id" the number ${digits}`)) }],
  },
});

describe("a gateway", () => {
  it.each(lossy)(
    "refuses the arguments of raw text with %s over pipes, in both eras, and calls nothing",
    async (digits) => {
      const calls: unknown[] = [];
      await using host = await open('{"content":[]}', calls);
      const gateway = createHostGateway(host, { name: "g", version: "1", expose: "all" });
      // A session of the handshake era takes messages of the other one, too.
      for (const meta of [{ trace: 1 }, modern]) {
        const answers: unknown[] = [];
        const pipe = gateway.connect((text) => answers.push(JSON.parse(text)) > 0);
        pipe.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello }));
        await vi.waitFor(() => expect(answers).toHaveLength(1), 60_000);
        const calling = callText(digits, meta);
        pipe.receive(calling);
        pipe.receive(`[${calling.replace('"id":2', '"id":3')}]`);
        // Another place than the arguments.
        pipe.receive(
          calling
            .replace('"id":2', '"id":4')
            .replace(digits, "1")
            .replace('"_meta":{', `"_meta":{"progressToken":${digits},`),
        );
        await pipe.finish();
        const failed = (path: string): object => {
          const message = expect.stringContaining(`"${path}" the number ${digits}`) as string;
          return { error: { code: -32_602, message } };
        };
        const answered = (id: number): unknown => answers.flat().find((one) => (one as { id: number }).id === id);
        expect(answered(2)).toMatchObject(refusal(digits));
        expect(answered(4)).toMatchObject(failed("/params/_meta/progressToken"));
        expect(answered(3)).toMatchObject(failed("/0/params/arguments/order/0/id"));
        await pipe.close("done");
      }
      await gateway.close();
      expect(calls).toEqual([]);
    },
  );

  it.each(lossy)(
    "refuses the arguments of raw text with %s over HTTP, in both eras, and calls nothing",
    async (digits) => {
      const calls: unknown[] = [];
      await using host = await open('{"content":[]}', calls);
      const gateway = createHostGateway(host, { name: "g", version: "1", expose: "all" });
      const handler = gateway.http({ auth: { token: "0123456789abcdef0123" } });
      const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
        handler.fetch(
          new Request("http://127.0.0.1:7777/mcp", {
            method: "POST",
            headers: {
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              authorization: "Bearer 0123456789abcdef0123",
              ...headers,
            },
            body,
          }),
        );
      const opened = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello }));
      const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "mcp_ids_get" };
      for (const [meta, headers] of [
        [{}, session],
        [modern, named],
      ] as const) {
        const answer = await post(callText(digits, meta), headers);
        const text = await answer.text();
        expect(answer.status, text).toBe(200);
        expect(JSON.parse(text.replace(/^[^{]*/, ""))).toMatchObject(refusal(digits));
      }
      await gateway.close();
      expect(calls).toEqual([]);
    },
  );
});

it.each(lossy)("refuses a model's text with %s, and names the place and the digits", async (digits) => {
  const calls: unknown[] = [];
  await using host = await open('{"content":[]}', calls);
  const conversation = await host.conversation();
  const call = { name: "mcp_ids_get", arguments: `{"order":{"id":${digits}}}` };
  const [answer] = await createChatTools(conversation).answer({
    tool_calls: [{ type: "function", id: "c", function: call }],
  });
  expect(answer?.content).toMatch(new RegExp(`/order/id.*${digits}`));
  expect(calls).toEqual([]);
});

describe("a server's raw text", () => {
  const program = `
    import { createInterface } from "node:readline";
    const hello = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';
    const tools = '{"tools":[{"name":"get","inputSchema":{"type":"object"}}]}';
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) continue;
      const call = () => '{"content":[' + params.arguments.content + '],"structuredContent":{"a":[' + params.arguments.digits + ']}}';
      const result = method === "initialize" ? hello : method === "tools/list" ? tools : call();
      process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}\\n');
    }
  `;

  it.each([
    ...lossy.map((digits) => ({ digits, content: "", reports: 1 })),
    ...lossy.map((digits) => ({ digits, content: `{"type":"text","text":"${digits}"}`, reports: 0 })),
    { digits: "1700000000000000000", content: "", reports: 0 },
  ])("is reported where structured content loses $digits beside [$content]: $reports", async (given) => {
    const diagnostics: Diagnostic[] = [];
    const ids = { command: process.execPath, args: ["--input-type=module", "-e", program] };
    await using host = await createHost({ servers: { ids }, onDiagnostic: (one) => diagnostics.push(one) });
    await host.call("mcp_ids_get", { digits: given.digits, content: given.content });
    const reported = diagnostics.filter(({ message }) => message.includes("digits"));
    expect(reported).toHaveLength(given.reports);
    for (const one of reported) {
      expect(one).toMatchObject({ kind: "protocol-anomaly", serverId: "ids", toolName: "get" });
      expect(one.message).toContain(`at "/a/0" the number ${given.digits}`);
    }
  });
});
