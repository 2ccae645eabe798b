import { describe, expect, it } from "vitest";
import { fromFetchError } from "./from-fetch-error.ts";

const request = { serverId: "web", url: new URL("https://example.com/mcp?key=s3cret-value") };
const withCode = (code: string): Error => Object.assign(new Error(`failed (${code})`), { code });

describe("fromFetchError()", () => {
  it.each([
    ["ENOTFOUND", "dns_failed"],
    ["EAI_AGAIN", "dns_failed"],
    ["ECONNREFUSED", "unreachable"],
    ["EHOSTUNREACH", "unreachable"],
    ["ENETUNREACH", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_failed"],
    ["CERT_HAS_EXPIRED", "tls_failed"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_failed"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls_failed"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls_failed"],
    ["EPROTO", "tls_failed"],
    ["ERR_INVALID_CHAR", "internal_error"],
  ])("reads %s as %s, which happens before anything is sent", (code, expected) => {
    for (const error of [withCode(code), new TypeError("fetch failed", { cause: withCode(code) })]) {
      expect(fromFetchError(error, { ...request, sent: undefined })).toMatchObject({
        code: expected,
        outcome: "not-sent",
        serverId: "web",
        cause: error,
      });
    }
  });

  it.each([
    ["ECONNRESET", "connection_closed"],
    ["EPIPE", "connection_closed"],
    ["ETIMEDOUT", "connection_closed"],
    ["UND_ERR_SOCKET", "connection_closed"],
    ["UND_ERR_HEADERS_TIMEOUT", "connection_closed"],
    ["HPE_INVALID_CONSTANT", "protocol_error"],
    ["Z_DATA_ERROR", "protocol_error"],
    ["ERR__ERROR_FORMAT_PADDING_1", "protocol_error"],
  ])("reads %s as %s with an unknown outcome", (code, expected) => {
    expect(fromFetchError(withCode(code), { ...request, sent: undefined })).toMatchObject({
      code: expected,
      outcome: "unknown",
    });
  });

  it("believes who knows whether bytes left, whatever the code", () => {
    const outcome = (code: string, sent: boolean): unknown => {
      const error = fromFetchError(withCode(code), { ...request, sent });
      return [error.code, error.outcome];
    };
    expect(outcome("ECONNRESET", false)).toEqual(["unreachable", "not-sent"]);
    expect(outcome("ETIMEDOUT", false)).toEqual(["unreachable", "not-sent"]);
    expect(outcome("EHOSTUNREACH", true)).toEqual(["unreachable", "unknown"]);
    expect(outcome("EPROTO", true)).toEqual(["tls_failed", "unknown"]);
  });

  it.each([undefined, null, "text", {}, new Error("plain")])("never fails itself, not even on %j", (error) => {
    expect(fromFetchError(error, { ...request, sent: undefined })).toMatchObject({ code: "connection_closed" });
  });

  it("finds its way out of a chain of causes that loops", () => {
    const error = new Error("outer");
    error.cause = error;
    expect(fromFetchError(error, { ...request, sent: undefined }).code).toBe("connection_closed");
  });

  it("names the server's address without the secrets in it", () => {
    const { message } = fromFetchError(withCode("ECONNREFUSED"), { ...request, sent: undefined });
    expect(message).toContain("https://example.com/mcp");
    expect(message).toContain("ECONNREFUSED");
    expect(message).not.toContain("s3cret");
  });
});
