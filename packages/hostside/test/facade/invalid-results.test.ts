import { createHost } from "hostside";
import { expect, it } from "vitest";
import { createListedServer, entryOf } from "../../../policy/test/listed-server.ts";

const outputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

it("reports a result that breaks its schema as a broken contract, with what is violated", async () => {
  const server = createListedServer(entryOf("count", { outputSchema }));
  server.answer = "all good";
  await using host = await createHost({
    servers: { s: { ...server.transport, required: true } },
    policy: { validation: { output: "strict" } },
  });
  const { status, error } = await host.policy.invoke(host, { toolName: "mcp_s_count", input: {} });
  expect([status, error?.code, error?.subcode, error?.isRetryable]).toEqual([
    "error",
    "ContractError",
    "invalid_result",
    false,
  ]);
  expect(error?.details.violations).not.toHaveLength(0);
  expect(error?.message).toContain("does not fit the output schema");
  expect(error?.message).not.toContain("all good");
});
