import type { FaultRule } from "@hostside/fixtures";
import { overHttp, proceed, rule, type Mutant } from "./mutant.ts";
import { serveShared } from "./sdk-mistakes.ts";

const strange = "00000000-0000-4000-8000-000000000000";
const modern = "2026-07-28";

function post(where: FaultRule["where"], status: number, body = ""): FaultRule {
  return rule("POST", where, { type: "http", status, body });
}

/** Servers that break a rule of Streamable HTTP. */
export const httpMutants: readonly Mutant[] = [
  overHttp("wrong-content-type", "calls its answers text/plain", {
    rules: [rule("initialize", undefined, { type: "proceed", headers: { "content-type": "text/plain" } })],
    fails: ["http/content-type"],
  }),
  overHttp("notification-with-body", "answers notifications with 200 and a body", {
    era: "legacy",
    rules: [post({ method: "notifications/initialized" }, 200, "ok")],
    fails: ["http/notification-accepted"],
  }),
  overHttp("get-404", "answers GET with 404", {
    rules: [rule("GET", undefined, { type: "http", status: 404 })],
    fails: ["http/get-stream"],
  }),
  overHttp("get-page", "answers GET with a page", {
    rules: [
      rule("GET", undefined, { type: "http", status: 200, headers: { "content-type": "text/html" }, body: "<p>Hello" }),
    ],
    fails: ["http/get-stream"],
  }),
  overHttp("unknown-session-400", "answers an unknown session with 400", {
    rules: [post({ "http.headers.mcp-session-id": strange }, 400)],
    fails: ["http/unknown-session"],
  }),
  overHttp("session-guessable", "gives every client the same short session id", {
    http: { sessions: false },
    rules: [rule("initialize", undefined, { type: "proceed", headers: { "mcp-session-id": "session-1" } })],
    fails: ["http/session-id-secure", "http/session-required"],
  }),
  overHttp("session-not-required", "serves requests without the session id that it gave out", {
    era: "legacy",
    rules: [
      rule(
        "POST",
        { method: "ping", "http.headers.mcp-session-id": null },
        { type: "http", status: 200, json: { jsonrpc: "2.0", id: 1, result: {} } },
      ),
    ],
    fails: ["http/session-required"],
  }),
  overHttp("one-transport-for-all", "has one transport, which knows its first client alone", {
    era: "legacy",
    rules: [
      {
        on: "initialize",
        from: 2,
        do: [
          {
            type: "http",
            status: 400,
            json: { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Server already initialized" } },
          },
        ],
      },
    ],
    fails: ["lifecycle/second-client"],
  }),
  overHttp("forgets-session", "forgets each session as soon as it has begun", {
    era: "legacy",
    rules: [rule("initialize", undefined, proceed, { type: "session", change: "expire" })],
    fails: ["lifecycle/goes-on"],
  }),
  {
    id: "one-server-for-all",
    wrong: "has one server object, which each request connects to its own transport",
    transport: "http",
    script: serveShared,
    fails: ["calls/no-cross-talk"],
  },
  overHttp("session-with-space", "has a space in its session ids", {
    http: { sessions: false },
    rules: [rule("initialize", undefined, { type: "proceed", headers: { "mcp-session-id": "my session" } })],
    fails: ["http/session-id-form", "http/session-id-secure", "http/session-required"],
  }),
  overHttp("delete-500", "answers DELETE with 500", {
    rules: [rule("DELETE", undefined, { type: "http", status: 500 })],
    fails: ["http/delete-session"],
  }),
  overHttp("session-immortal", "accepts DELETE and keeps the session", {
    rules: [rule("DELETE", undefined, { type: "http", status: 200 })],
    fails: ["http/ended-session"],
  }),
  {
    ...overHttp("any-origin", "serves pages of any origin", { fails: ["http/foreign-origin"] }),
    hidesOrigin: true,
  },
  overHttp("any-version-header", "ignores the protocol version header", {
    era: "legacy",
    rules: [rule("POST", { "http.headers.mcp-protocol-version": "1999-01-01" }, proceed)],
    fails: ["http/unsupported-version-header"],
  }),
  overHttp("bad-json-500", "answers a body that is no JSON with 500", {
    rules: [post({ method: null, id: null, "http.headers.mcp-session-id": null }, 500)],
    fails: ["http/bad-json"],
  }),
  overHttp("header-mismatch", "does not compare the headers with the body", {
    rules: [rule("POST", { "http.headers.mcp-method": "tools/call", method: "tools/list" }, proceed)],
    fails: ["http/header-mismatch"],
  }),
  overHttp("unknown-method-200", "answers unknown methods of the stateless era with 200", {
    rules: [
      rule(
        "POST",
        { method: "hostside/no-such-method", "http.headers.mcp-protocol-version": modern },
        { type: "http", status: 200, json: { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "Unknown" } } },
      ),
    ],
    fails: ["http/unknown-method-status"],
  }),
];
