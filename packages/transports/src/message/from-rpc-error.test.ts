import { describe, expect, it } from "vitest";
import { fromRpcError } from "./from-rpc-error.ts";

describe("fromRpcError()", () => {
  it.each([
    { error: { code: -32_601, message: "Method not found" }, code: "server_error" },
    { error: { code: -32_602, message: "Invalid arguments" }, code: "server_error" },
    { error: { code: -32_602, message: "Unknown tool: search" }, code: "tool_removed" },
    { error: { code: -32_602, message: "MCP error -32602: Tool search not found" }, code: "tool_removed" },
    { error: { code: -32_001, message: "Session not found" }, code: "server_error" },
    { error: { code: -32_000, message: "Server not initialized" }, code: "server_error" },
    { error: { code: -32_002, message: "Resource not found" }, code: "server_error" },
    { error: { code: -32_042, message: "Open a page", data: { elicitations: [] } }, code: "input_required" },
    {
      error: { code: -32_021, message: "Missing", data: { requiredCapabilities: { elicitation: {} } } },
      code: "input_required",
    },
    {
      error: { code: -32_021, message: "Missing", data: { requiredCapabilities: { sampling: {} } } },
      code: "server_error",
    },
  ])("maps $error.code ($error.message) to $code with outcome failed", ({ error, code }) => {
    const { code: rpcCode } = error;
    const failure = fromRpcError(error, context());
    expect(failure).toMatchObject({ code, outcome: "failed", details: { rpcCode } });
  });

  const legacy = { era: "legacy", hasSession: false, isHttp: false } as const;
  const named = { era: "legacy", hasSession: true, isHttp: true } as const;
  const modern = { era: "modern", hasSession: false, isHttp: true } as const;

  it.each([
    [-32_001, "Session not found", named],
    [-32_001, "MCP error -32001: Session not found", named],
    [-32_000, "Bad Request: No valid session ID provided", named],
    [-32_000, "Bad Request: Server not initialized", named],
    [-32_000, "Server not initialized", legacy],
    [-32_600, "Received request before initialization was complete", legacy],
    [0, 'method "tools/call" is invalid during session initialization', legacy],
  ])("reads %d %j of a used connection as a session that is lost, and not as a proof", (code, message, connection) => {
    expect(fromRpcError({ code, message }, { ...context(), connection })).toMatchObject({
      code: "session_expired",
      outcome: "unknown",
      retryable: false,
    });
  });

  it.each([
    [-32_001, "Session expired: browser tab closed after submit", named],
    [-32_001, "Browser session not found", named],
    [-32_001, "Request timed out", named],
    [-32_001, "Session not found", legacy],
    [-32_000, "Server not initialized", modern],
    [-32_000, "The printer is not initialized", legacy],
    [-32_000, "Order placed. Server not initialized", legacy],
    [-32_020, "mine", legacy],
    [-32_020, "Header mismatch", modern],
  ])("leaves %d %j to the tool", (code, message, connection) => {
    const error = fromRpcError({ code, message }, { ...context(), connection });
    expect(error).toMatchObject({ code: "server_error", outcome: "failed" });
  });

  it.each([
    [-32_022, modern],
    [-32_022, legacy],
    [-32_020, named],
    [-32_021, legacy],
  ])("reads %d of a used connection as a server that speaks another revision now (%j)", (code, connection) => {
    const error = fromRpcError({ code, message: "no" }, { ...context(), connection });
    expect(error).toMatchObject({ code: "unsupported_protocol", outcome: "failed" });
  });

  it("does not take an unknown resource of another method for an unknown tool", () => {
    const error = { code: -32_602, message: "Unknown tool: x" };
    expect(fromRpcError(error, { ...context(), method: "prompts/get" })).toMatchObject({ code: "server_error" });
  });

  it("lists the revisions that the server offers", () => {
    const error = fromRpcError({ code: -32_022, message: "No", data: { supported: ["2026-07-28", 7] } }, context());
    expect(error).toMatchObject({ code: "unsupported_protocol", details: { supported: ["2026-07-28"] } });
    expect(error.message).toContain("(the server knows 2026-07-28; this host 2026-07-28, 2025-11-25,");
  });

  it("keeps secrets that the server echoes out of message and data", () => {
    const redact = (text: string): string => text.replaceAll("s3cret-token", "[redacted]");
    const data = { headers: { authorization: "Bearer s3cret-token" } };
    const error = fromRpcError({ code: 1, message: "bad s3cret-token", data }, { ...context(), redact });
    expect(JSON.stringify(error)).not.toContain("s3cret-token");
    expect(error.details.rpcData).toEqual({ headers: { authorization: "Bearer [redacted]" } });
  });

  it("keeps no part of a secret that stands where a text is cut", () => {
    const redact = (text: string): string => text.replaceAll("s3cret-token", "[redacted]");
    const message = `${"m".repeat(992)} s3cret-token`;
    const data = {
      supported: [`${"v".repeat(35)}s3cret-token`],
      text: `${"d".repeat(985)}s3cret-token${"d".repeat(17_000)}`,
    };
    const error = fromRpcError({ code: 1, message, data }, { ...context(), redact });
    expect(JSON.stringify(error)).not.toContain("s3c");
  });

  it("bounds message and data", () => {
    const error = fromRpcError({ code: 1, message: "m".repeat(1e6), data: { text: "d".repeat(1e6) } }, context());
    expect(JSON.stringify(error).length).toBeLessThan(4000);
  });
});

function context() {
  return { serverId: "srv", method: "tools/call", toolName: "search", redact: (text: string) => text };
}
