import fc from "fast-check";

/**
 * A JSON-RPC error as a server may word it, or a result, and whether it names the request that it
 * answers.
 */
export interface OddMessage {
  readonly names: "nobody" | "request";
  readonly body: { readonly error: unknown } | { readonly result: unknown };
}

/** What a server does with a call after it ran it. */
export type OddAnswer =
  /** Replies with a status and a body, whole or cut off with an error of this code. */
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: OddMessage | string;
      readonly asEvents: boolean;
      readonly eventId: boolean;
      readonly cutBy: string | undefined;
    }
  /** Gives no reply: the connection fails with an error of this code. */
  | { readonly kind: "loss"; readonly code: string };

const sentences = [
  "Session not found",
  "Session expired",
  "Session expired: browser tab closed after submit",
  "Bad Request: Server not initialized",
  "Bad Request: No valid session ID provided",
  "Bad Request: Mcp-Session-Id header is required",
  "invalid session for upstream shop; order placed",
  "field session_name is invalid",
  "Not connected",
  "Connection closed",
  "Request timed out",
  "Not initialized",
  "The server was not reached; nothing was sent",
  "Unknown tool: echo",
  "Unsupported protocol version",
];
const words = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...sentences) }, fc.string());
const codes = [-32_000, -32_001, -32_002, -32_020, -32_021, -32_022, -32_042, -32_600, -32_601, -32_602, -32_603, 404];
const rpcCode = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...codes),
  },
  fc.integer(),
);
const data = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(
    { supported: ["2025-11-25"] },
    { supported: ["2026-07-28"] },
    { supported: [] },
    { requiredCapabilities: { elicitation: {} } },
  ),
  fc.jsonValue(),
);

/** What comes back as JSON-RPC. */
export const oddMessage: fc.Arbitrary<OddMessage> = fc.record({
  names: fc.constantFrom("request", "request", "nobody"),
  body: fc.oneof(
    { weight: 5, arbitrary: fc.record({ error: fc.record({ code: rpcCode, message: words, data }) }) },
    fc.record({ error: fc.jsonValue() }),
    fc.record({ result: fc.oneof(fc.constant({ content: [] }), fc.jsonValue()) }),
  ),
});

const statuses = [200, 202, 204, 301, 307, 400, 401, 403, 404, 405, 408, 409, 410, 415, 421, 425, 429, 500, 502, 503];
const lossCodes = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EPROTO", "UND_ERR_SOCKET", ""];
// With a reply there is a connection, whatever the failure of the body is called.
const cutCodes = [
  ...lossCodes,
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "CERT_HAS_EXPIRED",
  "UND_ERR_CONNECT_TIMEOUT",
];

const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc.record(
  {
    "content-type": fc.constantFrom("application/json", "text/plain", "text/html; charset=utf-8", "text/event-stream"),
    "mcp-session-id": fc.constantFrom("another", "x y"),
    "www-authenticate": fc.constantFrom('Bearer error="insufficient_scope", scope="a"', "Basic"),
    "retry-after": fc.constantFrom("0", "never"),
    location: fc.constant("http://elsewhere.example/"),
  },
  { requiredKeys: [] },
);

/** What comes back over HTTP. */
export const oddAnswer: fc.Arbitrary<OddAnswer> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("reply"),
      status: fc.oneof(fc.constantFrom(...statuses), fc.constantFrom(200, 200, 400, 404)),
      headers,
      body: fc.oneof({ weight: 3, arbitrary: oddMessage }, words),
      asEvents: fc.boolean(),
      eventId: fc.boolean(),
      cutBy: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(...cutCodes)),
    }),
  },
  fc.record({ kind: fc.constant("loss"), code: fc.constantFrom(...lossCodes) }),
);
