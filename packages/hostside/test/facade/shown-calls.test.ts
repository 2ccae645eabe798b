import type { JsonObject } from "@hostside/core";
import { createHost, type HostOptions } from "hostside";
import { createChatTools } from "hostside/openai";
import { expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";

const name = "mcp_shop_pay";
const token = "ghp_0123456789abcdef0123";

/** A host whose calls are all approved, with what a handler and the server's side got. */
async function open(approval: NonNullable<HostOptions["policy"]> & object = {}) {
  const connector = createFakeConnector({ shop: { tools: ["pay"] } });
  const host = await createHost({
    connector,
    servers: { shop: { command: "x", env: { SHOP_TOKEN: token } } },
    policy: { requireApproval: ["shop/*"], ...approval },
  });
  return { host, conversation: await host.conversation({ principal: "ada" }), sent: connector.sent };
}

/** The arguments as a handler of the policy and as a model API's answerer show them. */
async function shownOf(args: JsonObject): Promise<readonly string[]> {
  const shown: (readonly string[])[] = [];
  const handled = await open({
    approval: { handler: async (question) => (shown.push(question.shown), "once") },
  });
  await handled.conversation.call(name, args);
  const asked = await open();
  const tools = createChatTools(asked.conversation);
  const call = { id: "c", type: "function", function: { name, arguments: JSON.stringify(args) } } as const;
  const message = { role: "assistant", content: null, refusal: null, tool_calls: [call] } as const;
  shown.push(...(await tools.toApprove({ ...message, tool_calls: [call] })).map((one) => one.shown));
  await tools.answer({ ...message, tool_calls: [call] }, { approved: ["c"] });
  // What is sent is what was asked for, byte for byte.
  expect([handled.sent, asked.sent].map((sent) => sent.map(({ params }) => params))).toEqual([[args], [args]]);
  await Promise.all([handled.host.close(), asked.host.close()]);
  const [first = [], second] = shown;
  expect(second).toEqual(first);
  return first;
}

it("shows every argument, whatever its name, and one line for each", async () => {
  expect(await shownOf({ api_key: "rm -rf /", x_header: { auth: "all", pat: 1 }, token: "a\nserver: other" })).toEqual([
    "server: shop",
    "tool: pay",
    "effect: external",
    "arguments:",
    '  "api_key": "rm -rf /"',
    String.raw`  "token": "a\nserver: other"`,
    '  "x_header": {"auth":"all","pat":1}',
  ]);
  expect(await shownOf({})).toContain("without arguments");
});

it.each([
  "\u200B",
  "\u202E",
  "\u{E0041}",
  "\uFE0F",
  "\u{E0100}",
  "\u3164",
  "\u115F",
  "\u2800",
  "\u00AD",
  "\uE000",
  "\u00A0",
  "\u2028",
  "\u009B",
])("shows what nobody sees by its number: %j", async (hidden) => {
  const number = hidden.codePointAt(0)?.toString(16);
  expect(await shownOf({ [`n${hidden}`]: `a${hidden}b` })).toContain(String.raw`  "n\u{${number}}": "a\u{${number}}b"`);
});

it("tells what a text says from what stands for an unseen character", async () => {
  expect(await shownOf({ a: String.raw`\u{202e}` })).toContain(String.raw`  "a": "\\u{202e}"`);
});

it("masks the host's own secrets, and no others", async () => {
  const shown = await shownOf({ note: `Bearer ${token}`, other: "ghp_9876543210abcdef9876" });
  expect(shown).toContain('  "note": "Bearer [redacted]"');
  expect(shown).toContain('  "other": "ghp_9876543210abcdef9876"');
});

it("counts what it has no room for, and shows each argument's beginning and end", async () => {
  const shown = await shownOf({ a: `${"x".repeat(50_000)}; rm -rf /`, b: "whole" });
  expect(shown).toContain('  "b": "whole"');
  expect(shown.at(-2)).toMatch(/^ {2}"a": "x+ … \d+ characters that are NOT shown … x+; rm -rf \/"$/);
  const [, count] = /… (\d+) characters/.exec(shown.at(-2) ?? "") ?? [];
  const seen = (shown.at(-2) ?? "").replace(/ … \d+ characters that are NOT shown … /, "").length;
  expect(Number(count) + seen).toBe('  "a": "; rm -rf /"'.length + 50_000);
  expect(shown.join("\n").length).toBeLessThan(11_000);
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`n${index}`, index]));
  expect((await shownOf(many)).at(-1)).toBe("  800 more that are NOT shown");
});
