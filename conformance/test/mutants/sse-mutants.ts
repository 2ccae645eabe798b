import type { FaultAction } from "@hostside/fixtures";
import { overSse, rule, type Mutant } from "./mutant.ts";

const named = (data: string): FaultAction => ({ type: "sse", events: [{ event: "endpoint", data }], end: "open" });

/** Servers that break a rule of HTTP+SSE, the transport of 2024-11-05. */
export const sseMutants: readonly Mutant[] = [
  overSse("sse-page", "answers the GET with a page", {
    rules: [
      rule("GET", undefined, { type: "http", status: 200, headers: { "content-type": "text/html" }, body: "<p>Hello" }),
    ],
    fails: ["sse/endpoint"],
  }),
  overSse("sse-endpoint-elsewhere", "names an endpoint of another origin", {
    rules: [rule("GET", undefined, named("http://127.0.0.2:9/messages?session=1"))],
    fails: ["sse/endpoint-origin"],
  }),
  overSse("sse-event-name", "calls its events by the method that they answer", {
    rules: [
      rule("tools/list", undefined, {
        type: "write",
        to: "stream",
        bytes: 'event: tools\ndata: {"jsonrpc":"2.0","id":{{id}},"result":{"tools":[]}}\n\n',
      }),
    ],
    fails: ["sse/message-events"],
  }),
  overSse("sse-notification-400", "answers notifications with 400", {
    rules: [rule("POST /messages", { method: "notifications/hostside-unknown" }, { type: "http", status: 400 })],
    fails: ["sse/notification-accepted"],
  }),
  {
    ...overSse("sse-newest-stream", "has one transport, which answers whoever connected last", {
      fails: ["lifecycle/second-client"],
    }),
    oddStreams: "newest",
  },
  {
    ...overSse("sse-short-ids", "gives its streams ids of one character", { fails: ["sse/own-endpoint"] }),
    oddStreams: "short-ids",
  },
  overSse("sse-unknown-session-202", "accepts messages for a stream that is not open", {
    rules: [rule("POST /messages", { id: "stray" }, { type: "http", status: 202 })],
    fails: ["sse/unknown-session"],
  }),
  overSse("sse-bad-json-500", "answers a body that is no JSON with 500", {
    rules: [rule("POST /messages", { method: null, id: null }, { type: "http", status: 500 })],
    fails: ["sse/bad-json"],
  }),
  { ...overSse("sse-any-origin", "serves pages of any origin", { fails: ["sse/foreign-origin"] }), hidesOrigin: true },
];
