import type { Diagnostic } from "@hostside/core";
import { createChatTools } from "@hostside/adapters/openai";
import { createHost } from "hostside";
import { expect, it } from "vitest";
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
])("tells of structured content that has lost digits, $what: $reports", async ({ result, reports }) => {
  const diagnostics: Diagnostic[] = [];
  await using host = await open(result, [], (one) => diagnostics.push(one));
  const conversation = await host.conversation();
  await conversation.call("mcp_ids_get", {});
  await conversation.call("mcp_ids_get", {});
  expect(diagnostics.filter(({ message }) => message.includes("digits"))).toHaveLength(reports);
});
