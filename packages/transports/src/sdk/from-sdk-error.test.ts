import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { fromSdkError } from "./from-sdk-error.ts";

describe("fromSdkError()", () => {
  it.each([
    { name: "v2 timeout", error: new SdkError(SdkErrorCode.RequestTimeout, "late"), code: "request_timeout" },
    { name: "v1 timeout", error: new McpError(ErrorCode.RequestTimeout, "Request timed out"), code: "request_timeout" },
    { name: "v2 close", error: new SdkError(SdkErrorCode.ConnectionClosed, "x"), code: "connection_closed" },
    {
      name: "v1 close",
      error: new McpError(ErrorCode.ConnectionClosed, "Connection closed"),
      code: "connection_closed",
    },
    {
      name: "v2 not connected",
      error: new SdkError(SdkErrorCode.NotConnected, "x"),
      code: "connection_closed",
      outcome: "not-sent",
    },
    { name: "v1 not connected", error: new Error("Not connected"), code: "connection_closed", outcome: "not-sent" },
    { name: "v2 bad result", error: new SdkError(SdkErrorCode.InvalidResult, "x"), code: "protocol_error" },
    { name: "v2 server error", error: new ProtocolError(-32_603, "boom"), code: "server_error", outcome: "failed" },
    { name: "v1 server error", error: new McpError(-32_603, "boom"), code: "server_error", outcome: "failed" },
    {
      name: "v2 server error in the words of the SDK",
      error: new ProtocolError(-32_603, "Not connected"),
      code: "server_error",
      outcome: "failed",
    },
    {
      name: "v1 answer of a media type that it does not know",
      error: new StreamableHTTPError(-1, "Unexpected content type: text/html"),
      code: "http_error",
    },
    { name: "v1 redirect", error: new StreamableHTTPError(307, "Error POSTing to endpoint: "), code: "http_error" },
    { name: "something else", error: new RangeError("odd"), code: "internal_error" },
  ])("maps a $name to $code", ({ error, code, outcome = "unknown" }) => {
    expect(fromSdkError(error, context("tools/call"))).toMatchObject({ code, outcome, serverId: "srv" });
  });

  it.each([
    { error: new Error("The transport was started already"), code: "handshake_failed" },
    { error: new ProtocolError(-32_603, "boom"), code: "server_error" },
  ])("maps $error.message during a handshake to $code", ({ error, code }) => {
    expect(fromSdkError(error, context("initialize"))).toMatchObject({ code, details: { operation: "initialize" } });
  });

  it("takes the number of an error that a transport threw for no JSON-RPC error: what it could not send may have arrived", () => {
    const error = Object.assign(new Error("closed abnormally"), { code: 1006 });
    const failure = fromSdkError(error, context("tools/call"), "transport");
    expect(failure).toMatchObject({ code: "internal_error", outcome: "unknown" });
  });

  it("keeps no part of a secret that stands where the text is cut", () => {
    const redact = (text: string): string => text.replaceAll("s3cret-token", "[redacted]");
    const error = fromSdkError(new Error(`${"x".repeat(992)} s3cret-token`), { ...context("tools/call"), redact });
    expect(error.message).not.toContain("s3c");
  });

  it("finds our own error again behind another one", () => {
    const ours = new HostsideError("no credentials", { code: "auth_required" });
    const wrapped = new SdkError(SdkErrorCode.EraNegotiationFailed, "x", { cause: ours }, { cause: ours });
    expect(fromSdkError(wrapped, context("initialize"))).toBe(ours);
  });
});

function context(method: string) {
  return { serverId: "srv", method, redact: (text: string) => text };
}
