import assert from "node:assert/strict";
import { createHost, type StaticTool } from "hostside";

type Orders = (id: string, signal?: AbortSignal) => Promise<string>;

interface Page {
  readonly orderStatus: (stateOf: Orders) => StaticTool;
}

export async function drive({ orderStatus }: Page): Promise<void> {
  const path = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  const asked: unknown[] = [];
  const refund: StaticTool = {
    definition: { name: "refund_order", description: "Refunds an order.", inputSchema: { type: "object" } },
    init: () => Promise.reject(new Error("no bank")),
    run: (_, { context }) => {
      asked.push(context?.principal);
      throw new Error("at line 7 of refund.ts");
    },
  };
  await using host = await createHost({
    servers: { everything: { command: process.execPath, args: [path], required: true } },
    tools: [orderStatus((id) => Promise.resolve(`${id} is on its way`)), refund],
    policy: { allow: ["/*"], requireApproval: ["/cancel_*"], validation: { input: "strict" }, defaultDecision: "deny" },
    timeoutMs: 60_000,
  });
  const conversation = await host.conversation({ id: "42", principal: "ada" });
  const offered = conversation.tools().map(({ name }) => name);
  assert.ok(offered.includes("order_status") && offered.includes("refund_order"));
  const { content } = await conversation.call("order_status", { id: "17" });
  assert.deepEqual(content, [{ type: "text", text: "Order 17: 17 is on its way" }]);
  await assert.rejects(conversation.call("order_status", { id: 17 }), { code: "invalid_arguments" });
  await assert.rejects(conversation.call("refund_order", {}), ({ message }: Error) => {
    return message.includes("refund_order") && !message.includes("line 7");
  });
  assert.deepEqual(asked, ["ada"]);
}
