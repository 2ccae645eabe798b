import { createHost, type PolicyOptions } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";
import { createChatTools } from "hostside/openai";
import { expect, it } from "vitest";
import { createListedServer, entryOf } from "../../../policy/test/listed-server.ts";

const inputSchema = {
  type: "object",
  properties: {
    list: { type: "array", items: { type: "integer" } },
    count: { type: ["integer", "null"] },
    flag: { type: "boolean" },
    deep: { type: "object", properties: { ratio: { type: "number" } } },
    text: { type: "string" },
    either: { type: ["string", "integer"] },
    any: {},
  },
};
const name = "mcp_s_write";
const written = { list: "[1, 2]", count: "10", flag: "true", deep: '{"ratio": "0.5"}' };
const kept = { text: "[1]", either: "10", any: "10" };

async function sentBy(args: object, policy: PolicyOptions = {}, approved = false): Promise<unknown> {
  const server = createListedServer(entryOf("write", { inputSchema }));
  await using host = await createHost({ servers: { s: { ...server.transport, required: true } }, policy });
  const chat = createChatTools(await host.conversation());
  const call = { id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } } as const;
  if (approved) await chat.toApprove({ tool_calls: [call] });
  await chat.answer({ tool_calls: [call] }, approved ? { approved: ["c"] } : {});
  return server.calls[0]?.["arguments"];
}

it("decodes texts that a model wrote in place of another type, where the schema takes none", async () => {
  expect(await sentBy({ ...written, ...kept })).toEqual({
    list: [1, 2],
    count: 10,
    flag: true,
    deep: { ratio: "0.5" },
    ...kept,
  });
  expect(await sentBy({ list: ["1", 2], deep: { ratio: "0.5" } })).toEqual({ list: [1, 2], deep: { ratio: 0.5 } });
});

it.each([
  { count: "1.5" },
  { count: "ten" },
  { count: "12345678901234567" },
  { list: "{}" },
  { flag: "yes" },
  { list: "[1" },
])("leaves what is no JSON of the type that is wanted: %j", async (args) => {
  expect(await sentBy(args)).toEqual(args);
});

it("sends what a framework was to show as the model wrote it", async () => {
  expect(await sentBy(written, { requireApproval: ["s/*"] }, true)).toEqual(written);
});

it("shows a handler what is decoded, and sends that", async () => {
  const shown: unknown[] = [];
  const handler = async ({ args }: { readonly args: unknown }) => (shown.push(args), "once" as const);
  const sent = await sentBy({ count: "10" }, { requireApproval: ["s/*"], approval: { handler } });
  expect([shown, sent]).toEqual([[{ count: 10 }], { count: 10 }]);
});

it("does so in adapters of frameworks, too", async () => {
  const server = createListedServer(entryOf("write", { inputSchema }));
  await using host = await createHost({ servers: { s: { ...server.transport, required: true } } });
  const { tools } = createAiSdkTools(await host.conversation());
  const context = {};
  await tools[name]?.execute?.({ count: "10" }, { toolCallId: "c", messages: [], context });
  expect(server.calls[0]?.["arguments"]).toEqual({ count: 10 });
});
