import { describe, expect, it } from "vitest";
import { fromHttpStatus, type SessionUse } from "./from-http-status.ts";

interface Case {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly session?: SessionUse;
  readonly hadCredentials?: boolean;
}

function errorOf({ status, headers = {}, body = "", session = "none", hadCredentials = false }: Case) {
  return fromHttpStatus(
    { status, header: (name) => headers[name], body },
    {
      serverId: "web",
      url: new URL("https://example.com/mcp"),
      redact: (text) => text.replaceAll("s3cret-token", "[redacted]"),
      session,
      hadCredentials,
      now: Date.parse("Wed, 21 Oct 2026 07:28:00 GMT"),
    },
  );
}

const rpc = (code: number, message: string, data?: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code, message, data }, id: null });

describe("fromHttpStatus()", () => {
  it.each([
    [401, "auth_required", "failed"],
    [403, "forbidden", "failed"],
    [429, "rate_limited", "failed"],
    [301, "redirect_refused", "failed"],
    [302, "redirect_refused", "failed"],
    [307, "redirect_refused", "failed"],
    [308, "redirect_refused", "failed"],
    [400, "http_error", "failed"],
    [404, "http_error", "failed"],
    [405, "http_error", "failed"],
    [415, "http_error", "failed"],
    [408, "http_error", "unknown"],
    [500, "http_error", "unknown"],
    [502, "http_error", "unknown"],
    [503, "http_error", "unknown"],
    [504, "http_error", "unknown"],
    [199, "http_error", "unknown"],
    [999, "http_error", "unknown"],
  ])("reads %d as %s, outcome %s", (status, code, outcome) => {
    expect(errorOf({ status })).toMatchObject({ code, outcome, serverId: "web", details: { httpStatus: status } });
  });

  it("invites nobody to repeat what was refused as it is, or may have run", () => {
    expect([404, 415, 500, 503].map((status) => errorOf({ status }).retryable)).toEqual([false, false, false, false]);
    expect(errorOf({ status: 429 }).retryable).toBe(true);
  });

  it.each<[string, Case]>([
    ["404, whatever it says", { status: 404, body: "gone" }],
    ["404 with -32001", { status: 404, body: rpc(-32_001, "Session not found") }],
  ])("reads %s as session_expired, refused, for a request that named its session by id", (_, refusal) => {
    expect(errorOf({ ...refusal, session: "id" })).toMatchObject({ code: "session_expired", outcome: "failed" });
    expect(errorOf({ ...refusal, session: "url" })).toMatchObject({ code: "session_expired", outcome: "unknown" });
    expect(errorOf({ ...refusal, session: "handshake" })).toMatchObject({ code: "http_error", outcome: "failed" });
    expect(errorOf({ ...refusal, session: "none" })).toMatchObject({ code: "http_error", outcome: "failed" });
  });

  it.each<[string, string, readonly SessionUse[]]>([
    ["of a restarted SDK server", rpc(-32_000, "Bad Request: Server not initialized"), ["id", "url", "handshake"]],
    ["without a valid id", rpc(-32_000, "Bad Request: No valid session ID provided"), ["id", "url"]],
    ["of many examples", "Invalid or missing session ID", ["id", "url"]],
    ["in plain text", "Session has been terminated\n", ["id", "url"]],
  ])("takes a 400 %s for a lost session, and for no proof that nothing ran", (_, body, uses) => {
    for (const session of ["id", "url", "handshake", "none"] as const) {
      const expected = uses.includes(session)
        ? { code: "session_expired", outcome: "unknown", retryable: false }
        : { code: "http_error", outcome: "failed" };
      expect(errorOf({ status: 400, body, session })).toMatchObject(expected);
    }
  });

  it.each<[string, Case]>([
    ["another 400", { status: 400, body: rpc(-32_602, "Invalid params") }],
    ["a field that is called so", { status: 400, body: '{"error":"field session_name is invalid"}' }],
    ["a session of the tool's own", { status: 400, body: "invalid session for upstream shop; order placed" }],
    ["its code alone", { status: 400, body: rpc(-32_001, "whatever") }],
    ["500", { status: 500, body: "session not found" }],
    ["405", { status: 405 }],
  ])("does not take for an expired session: %s", (_name, refusal) => {
    expect(errorOf({ ...refusal, session: "id" }).code).toBe("http_error");
  });

  it("suspects a proxy, not the session, when the server misses the header that was sent", () => {
    const error = errorOf({
      status: 400,
      session: "id",
      body: rpc(-32_000, "Bad Request: Mcp-Session-Id header is required"),
    });
    expect(error.code).toBe("http_error");
    expect(error.message).toContain("does a proxy remove the Mcp-Session-Id header?");
  });

  it.each([
    ["7", 7000],
    ["Wed, 21 Oct 2026 07:28:10 GMT", 10_000],
    ["86400", 3_600_000],
    ["never", undefined],
  ])("surfaces Retry-After %j as %s ms, with 429 and with 503", (value, expected) => {
    for (const status of [429, 503]) {
      expect(errorOf({ status, headers: { "retry-after": value } }).details.retryAfterMs).toBe(expected);
    }
  });

  it("surfaces the challenge of 401 and 403, cleaned", () => {
    const challenge = 'Bearer resource_metadata="https://example.com/.well-known/x", scope="a b"';
    for (const status of [401, 403]) {
      expect(errorOf({ status, headers: { "www-authenticate": challenge } }).details.challenge).toBe(challenge);
    }
    expect(
      errorOf({ status: 401, headers: { "www-authenticate": `Basic \u001B[31m${"x".repeat(9000)}` } }).details
        .challenge,
    ).toHaveLength(2048);
  });

  it("quotes a JSON-RPC error by its message, with its code and the revisions on offer", () => {
    const error = errorOf({
      status: 400,
      body: rpc(-32_022, "Unsupported", { supported: ["2026-07-28", "2027-01-01"] }),
    });
    expect(error.details).toMatchObject({
      rpcCode: -32_022,
      supported: ["2026-07-28", "2027-01-01"],
      excerpt: "Unsupported",
    });
  });

  it("quotes a body in one bounded line without control characters and secrets", () => {
    const { message, details } = errorOf({
      status: 500,
      body: `<h1>\u001B[31mOops</h1>\n\n  token s3cret-token, and s3cret\u200B-token ${"x".repeat(5000)}`,
    });
    expect(details.excerpt).toMatch(/^<h1>Oops<\/h1> token \[redacted\], and \[redacted\] x+…$/);
    expect(details.excerpt).toHaveLength(300);
    expect(message).not.toContain("s3cret");
  });

  it.each<[Case, string]>([
    [{ status: 404 }, "is the path of the URL right?"],
    [{ status: 405 }, "an old HTTP+SSE server"],
    [{ status: 500, headers: { "content-type": "text/html; charset=utf-8" } }, "a web page"],
    [
      { status: 307, headers: { location: "https://user:pw@other.example/login?next=s3cret-token" } },
      "to https://***@other.example/login?next=***;",
    ],
    [{ status: 302, headers: { location: "http://[" } }, "it redirects;"],
  ])("gives a hint for %j", (refusal, hint) => expect(errorOf(refusal).message).toContain(hint));
});
