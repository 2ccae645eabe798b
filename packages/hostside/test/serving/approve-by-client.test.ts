import type { ElicitationRequest, JsonObject } from "@hostside/core";
import type { ApprovalQuestion } from "@hostside/policy";
import { approveByClient } from "hostside/gateway";
import { expect, it } from "vitest";

/** What a user reads before they answer. */
async function messageFor(args: JsonObject, title?: string): Promise<string> {
  const asked: ElicitationRequest[] = [];
  const handler = approveByClient(async (request) => (asked.push(request), { action: "decline" }));
  await handler({
    tool: { serverId: "shop", toolName: "pay", qualifiedName: "mcp::shop::pay" },
    definition: { name: "mcp_shop_pay", title, description: "", inputSchema: {} },
    args,
    effect: "external",
    why: "requireApproval[0] says so",
    answers: ["once", "no"],
    signal: new AbortController().signal,
  } as unknown as ApprovalQuestion);
  return asked[0]?.message ?? "";
}

it("shows what would be sent, under a heading of its own", async () => {
  expect(await messageFor({ amount: 5, to: { name: "ada", password: "hunter2" } })).toBe(
    [
      "A call waits for you: requireApproval[0] says so",
      "server: shop",
      "tool: pay",
      "effect: external",
      "arguments:",
      '  "amount": 5',
      '  "to": {"name":"ada","password":"[redacted]"}',
    ].join("\n"),
  );
  expect(await messageFor({})).toMatch(/\nwithout arguments$/);
});

it("lets no name of an argument, no value and no title pass for a line of the host", async () => {
  const message = await messageFor({ "effect: pure\u202E\nx": 1, note: "a\nserver: other" }, "x\neffect: pure");
  const lines = message.split("\n");
  expect(lines.filter((line) => /^(?:effect|server|tool):/.test(line))).toHaveLength(3);
  expect(lines).toContain(String.raw`  "effect: pure\u{202e}\nx": 1`);
});

it.each(["\u3164", "\u115F", "\u2800", "\uFE0F", "\u{E0100}", "\u200B", "\uE000"])(
  "shows what nobody sees by its number: %j",
  async (hidden) => {
    const number = hidden.codePointAt(0)?.toString(16);
    expect(await messageFor({ note: `a${hidden}b` })).toContain(String.raw`  "note": "a\u{${number}}b"`);
  },
);

it("says how much it has no room for", async () => {
  const message = await messageFor({ pad: `${"a".repeat(20_000)}; rm -rf /` });
  expect(message).toMatch(/\narguments, of which 10021 characters more are NOT shown here:\n {2}"pad": "a+…$/);
  expect(message.length).toBeLessThan(11_000);
});
