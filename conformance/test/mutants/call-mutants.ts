import type { FaultRule, JsonObject } from "@hostside/fixtures";
import { goodTool, overHttp, overStdio, proceed, respond, result, rule, type Mutant } from "./mutant.ts";

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
    fails: ["calls/answered", "calls/cancelled"],
  }),
  overHttp("absent-arguments-break", "fails when arguments are left out", {
    rules: [
      rule("tools/call", { "params.name": "echo", "params.arguments": null }, { type: "http", status: 500, body: "" }),
    ],
    fails: ["calls/absent-arguments"],
  }),
  overStdio("unasked-progress", "reports progress that nobody asked for", {
    rules: onGoodCall(
      { type: "send", message: { method: "notifications/progress", params: { progressToken: 1, progress: 1 } } },
      proceed,
    ),
    fails: ["calls/unasked-progress"],
  }),
  overStdio("dies-of-cancellation", "ends when a call is cancelled", {
    rules: [rule("notifications/cancelled", { "params.requestId": "to-cancel" }, { type: "exit", code: 1 })],
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
