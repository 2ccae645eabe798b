import { overHttp, overStdio, proceed, respond, rule, type Mutant } from "./mutant.ts";

const unknown = "hostside/no-such-method";

/** Servers that treat requests and notifications in a wrong way. */
export const requestMutants: readonly Mutant[] = [
  overHttp("no-ping", "does not know ping", {
    rules: [rule("ping", undefined, respond({ error: { code: -32_601, message: "Method not found" } }))],
    fails: ["requests/probe"],
  }),
  overStdio("no-ping-answers-notifications", "does not know ping, and answers notifications", {
    rules: [
      rule("ping", undefined, respond({ error: { code: -32_601, message: "Method not found" } })),
      rule("notifications/hostside-unknown", undefined, { type: "send", message: { result: null } }),
    ],
    fails: ["requests/notification-unanswered", "requests/probe"],
  }),
  overHttp("silent-ping", "never answers ping", { rules: [rule("ping", undefined)], fails: ["requests/probe"] }),
  overHttp("pong", "answers ping with a text", {
    rules: [rule("ping", undefined, respond({ result: "pong" }))],
    fails: ["requests/response-shape"],
  }),
  overHttp("null-result", "answers ping with null", {
    rules: [rule("ping", undefined, respond({ result: null }))],
    fails: ["requests/response-shape"],
  }),
  overHttp("json-rpc-1", "calls its answers to unknown methods JSON-RPC 1.0", {
    era: "legacy",
    rules: [
      rule(unknown, undefined, respond({ jsonrpc: "1.0", error: { code: -32_601, message: "Method not found" } })),
    ],
    fails: ["requests/unknown-method"],
  }),
  overHttp("result-and-error", "puts a result beside an error", {
    era: "legacy",
    rules: [rule(unknown, undefined, respond({ result: {}, error: { code: -32_601, message: "Method not found" } }))],
    fails: ["requests/response-shape"],
  }),
  overHttp("code-as-text", "gives the error code as a text", {
    era: "legacy",
    rules: [rule(unknown, undefined, respond({ error: { code: "-32601", message: "Method not found" } }))],
    fails: ["requests/response-shape"],
  }),
  overHttp("message-missing", "leaves the error message out", {
    era: "legacy",
    rules: [rule(unknown, undefined, respond({ error: { code: -32_601 } }))],
    fails: ["requests/response-shape"],
  }),
  overHttp("accepts-any-method", "answers unknown methods with an empty result", {
    era: "legacy",
    rules: [rule(unknown, undefined, respond({ result: {} }))],
    fails: ["requests/unknown-method"],
  }),
  overHttp("ignores-unknown-method", "never answers unknown methods", {
    era: "legacy",
    rules: [rule(unknown, undefined)],
    fails: ["requests/unknown-method"],
  }),
  overHttp("wrong-error-code", "answers unknown methods with another code", {
    era: "legacy",
    rules: [rule(unknown, undefined, respond({ error: { code: -32_000, message: "No" } }))],
    fails: ["requests/unknown-method"],
  }),
  overHttp("accepts-any-parameters", "takes a number for the name of a tool", {
    rules: [rule("tools/call", { "params.name": 42 }, respond({ result: { content: [] } }))],
    fails: ["requests/invalid-params"],
  }),
  overHttp("id-zero-missing", "takes the id 0 for no id", {
    rules: [rule("ping", { id: 0 })],
    fails: ["requests/ids"],
  }),
  overHttp("id-as-text", "answers id 0 with the text 0", {
    rules: [rule("ping", { id: 0 }, respond({ id: "0", result: {} }))],
    fails: ["requests/ids"],
  }),
  overHttp("id-as-number", "answers the text 7 with the number 7", {
    rules: [rule("ping", { id: "7" }, respond({ id: 7, result: {} }))],
    fails: ["requests/ids"],
  }),
  overStdio("answers-notifications", "answers unknown notifications with an error", {
    rules: [
      rule("notifications/hostside-unknown", undefined, {
        type: "send",
        message: { id: null, error: { code: -32_601, message: "Method not found" } },
      }),
    ],
    fails: ["requests/notification-unanswered"],
  }),
  overStdio("dies-of-notification", "ends when an unknown notification comes", {
    rules: [rule("notifications/hostside-unknown", undefined, { type: "exit", code: 1 })],
    fails: ["requests/notification-unanswered"],
  }),
  overStdio("asks-for-roots", "asks for roots that the host did not offer", {
    rules: [rule("tools/list", undefined, { type: "send", message: { id: "r", method: "roots/list" } }, proceed)],
    fails: ["requests/respects-capabilities"],
  }),
  overStdio("asks-while-called", "asks the model of a host that offers none, while a tool runs", {
    rules: [
      rule(
        "tools/call",
        { "params.arguments.text": "x" },
        {
          type: "send",
          message: { id: "s", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
        },
        proceed,
      ),
    ],
    fails: ["requests/respects-capabilities"],
  }),
  overStdio("logs-undeclared", "sends log messages without the capability, while a tool runs", {
    rules: [
      rule(
        "tools/call",
        { "params.arguments.text": "x" },
        { type: "send", message: { method: "notifications/message", params: { level: "info", data: "called" } } },
        proceed,
      ),
    ],
    fails: ["requests/notifications-declared"],
  }),
  odd("one-request-at-a-time", "keeps the current request in one variable", ["requests/concurrency"]),
  odd("dies-of-large-message", "ends when a message is larger than 64 KiB", ["requests/large-message"]),
  odd("dies-of-batch", "ends when an array comes", ["requests/batch"]),
  odd("reads-latin1", "reads its input as Latin-1", ["requests/ids"]),
  odd("ends-lines-at-2028", "takes U+2028 for the end of a line, as the readline of Node does", ["requests/odd-text"]),
  odd("strips-control", "refuses messages with escaped control characters", ["requests/odd-text"]),
];

function odd(id: string, wrong: string, fails: readonly string[]): Mutant {
  return { id, wrong, transport: "stdio", script: id, fails };
}
