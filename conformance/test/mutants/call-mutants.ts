import type { FaultRule, JsonObject } from "@hostside/fixtures";
import { goodTool, overHttp, overStdio, proceed, respond, result, rule, type Mutant } from "./mutant.ts";
import { serveUntilLeft } from "./sdk-mistakes.ts";

const text = [{ type: "text", text: "x" }];

/** What happens to the call that the kit makes up for the good tool. */
function onGoodCall(...actions: FaultRule["do"]): readonly FaultRule[] {
  return [rule("tools/call", { "params.name": "echo", "params.arguments.text": "x" }, ...actions)];
}

function returns(members: JsonObject): readonly FaultRule[] {
  return onGoodCall(result(members));
}

const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const structured = { tools: [{ ...goodTool, outputSchema }] };

/** Servers whose tools behave in a wrong way. */
export const callMutants: readonly Mutant[] = [
  overHttp("any-tool", "runs tools that it does not have", {
    rules: [rule("tools/call", { "params.name": "hostside-no-such-tool" }, result({ content: text }))],
    fails: ["calls/unknown-tool"],
  }),
  overHttp("no-validation", "runs a tool without its required arguments", {
    rules: [rule("tools/call", { "params.name": "echo", "params.arguments.text": null }, result({ content: text }))],
    fails: ["calls/missing-arguments"],
  }),
  overHttp("no-content", "returns a result without content", {
    rules: returns({ value: "x" }),
    fails: ["calls/result-content"],
  }),
  overHttp("content-as-text", "returns a text in place of the blocks", {
    rules: returns({ content: "x" }),
    fails: ["calls/result-content"],
  }),
  overHttp("block-without-text", "returns a text block without its text", {
    rules: returns({ content: [{ type: "text", value: "x" }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("block-without-type", "returns a block without a type", {
    rules: returns({ content: [{ text: "x" }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("image-without-type", "returns an image without its media type", {
    rules: returns({ content: [{ type: "image", data: "AAAA" }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("image-as-data-url", "returns an image as a data: URL", {
    rules: returns({ content: [{ type: "image", data: "data:image/png;base64,AAAA", mimeType: "image/png" }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("image-of-empty-type", "returns an image whose media type is empty", {
    rules: returns({ content: [{ type: "image", data: "AAAA", mimeType: "" }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("resource-without-contents", "returns an embedded resource without text or blob", {
    rules: returns({ content: [{ type: "resource", resource: { uri: "file:///x" } }] }),
    fails: ["calls/result-content"],
  }),
  overHttp("result-refused-by-sdk", "returns what its own SDK refuses, as an error -32602", {
    rules: onGoodCall(respond({ error: { code: -32_602, message: "Invalid tools/call result: content is missing" } })),
    fails: ["calls/result-content"],
  }),
  overHttp("output-refused-by-sdk", "returns a structure that its own SDK refuses, as a failed result", {
    ...structured,
    rules: returns({
      content: [{ type: "text", text: "MCP error -32602: Output validation error: sum is missing" }],
      isError: true,
    }),
    fails: ["calls/output-matches-schema"],
  }),
  overHttp("output-refused-as-error", "returns a structure that its own SDK refuses, as an error -32602", {
    ...structured,
    rules: onGoodCall(
      respond({
        error: { code: -32_602, message: "MCP error -32602: Invalid structured content for tool echo: sum is missing" },
      }),
    ),
    fails: ["calls/output-matches-schema"],
  }),
  overHttp("error-as-text", "returns isError as a text", {
    rules: returns({ content: text, isError: "false" }),
    fails: ["calls/result-content"],
  }),
  overHttp("output-mismatch", "returns what its output schema does not allow", {
    ...structured,
    rules: returns({ content: text, structuredContent: { sum: "3" } }),
    fails: ["calls/output-matches-schema"],
  }),
  overHttp("output-missing", "has an output schema and returns no structure", {
    ...structured,
    rules: returns({ content: text }),
    fails: ["calls/output-matches-schema"],
  }),
  overHttp("only-structure", "returns a structure and no content", {
    ...structured,
    rules: returns({ content: [], structuredContent: { sum: 3 } }),
    fails: ["calls/structured-as-text"],
  }),
  overHttp("call-breaks-http", "answers calls with an HTTP error", {
    rules: onGoodCall({ type: "http", status: 502, body: "Bad gateway" }),
    fails: ["calls/answered"],
  }),
  overStdio("dies-of-call", "ends when a tool is called", {
    rules: onGoodCall({ type: "exit", code: 1 }),
    fails: ["calls/answered"],
  }),
  overHttp("absent-arguments-break", "fails when arguments are left out", {
    rules: [
      rule("tools/call", { "params.name": "echo", "params.arguments": null }, { type: "http", status: 500, body: "" }),
    ],
    fails: ["calls/absent-arguments"],
  }),
  overHttp("absent-arguments-throw", "runs a tool on arguments that are left out", {
    rules: [
      rule(
        "tools/call",
        { "params.name": "echo", "params.arguments": null },
        respond({ error: { code: -32_603, message: "Cannot convert undefined or null to object" } }),
      ),
    ],
    fails: ["calls/absent-arguments"],
  }),
  overStdio("dies-after-call", "ends right after it answered a call", {
    rules: onGoodCall(proceed, { type: "exit", code: 1 }),
    fails: ["calls/answered"],
  }),
  odd("swaps-results", "gives calls at the same time each other's results", ["calls/no-cross-talk"]),
  odd("dies-of-running-cancellation", "ends when a tool is cancelled while it runs", ["calls/cancelled"]),
  odd("keeps-its-lock", "never calls a tool again that was cancelled while it ran", ["calls/cancelled"]),
  {
    id: "dies-when-left",
    wrong: "ends when a client leaves while a tool runs",
    transport: "http",
    script: serveUntilLeft,
    fails: ["calls/client-leaves"],
  },
  overStdio("unasked-progress", "reports progress that nobody asked for", {
    rules: onGoodCall(
      { type: "send", message: { method: "notifications/progress", params: { progressToken: 1, progress: 1 } } },
      proceed,
    ),
    fails: ["calls/unasked-progress"],
  }),
  overStdio("dies-of-cancellation", "ends when a call is cancelled", {
    rules: [rule("notifications/cancelled", { "params.requestId": "to-interrupt" }, { type: "exit", code: 1 })],
    fails: ["calls/cancelled"],
  }),
  overHttp("busy", "answers only every other call", {
    rules: [
      {
        on: "tools/call",
        where: { "params.arguments.text": "x" },
        from: 4,
        every: 2,
        do: [respond({ error: { code: -32_000, message: "Busy" } })],
      },
    ],
    fails: ["calls/no-cross-talk"],
  }),
];

function odd(id: string, wrong: string, fails: readonly string[]): Mutant {
  return { id, wrong, transport: "stdio", script: id, fails };
}
