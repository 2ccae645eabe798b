import type { ElicitationRequest } from "@hostside/core";
import type { ApprovalQuestion } from "@hostside/policy";
import { approveByClient } from "hostside/gateway";
import { expect, it } from "vitest";

it("shows why it asks, and the call under a heading of its own", async () => {
  const asked: ElicitationRequest[] = [];
  const handler = approveByClient(async (request) => (asked.push(request), { action: "decline" }));
  await handler({
    tool: { serverId: "shop", toolName: "pay", qualifiedName: "mcp::shop::pay" },
    definition: { name: "mcp_shop_pay", description: "", inputSchema: {} },
    args: {},
    why: "requireApproval[0] says so",
    shown: ["server: shop", "tool: pay", "arguments:", '  "amount": 5'],
    answers: ["once", "no"],
    signal: new AbortController().signal,
  } as unknown as ApprovalQuestion);
  expect(asked[0]?.message.split("\n")).toEqual([
    "A call waits for you: requireApproval[0] says so",
    "server: shop",
    "tool: pay",
    "arguments:",
    '  "amount": 5',
  ]);
});
