import { describe, expect, it } from "vitest";
import { fromFetchError } from "./from-fetch-error.ts";

const request = { serverId: "web", url: new URL("https://example.com/mcp?key=s3cret-value") };
const withCode = (code: string): Error => Object.assign(new Error(`failed (${code})`), { code });

describe("fromFetchError()", () => {
  it.each([
    ["ENOTFOUND", "dns_failed"],
    ["EAI_AGAIN", "dns_failed"],
    ["ECONNREFUSED", "unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "unreachable"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_failed"],
    ["CERT_HAS_EXPIRED", "tls_failed"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_failed"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls_failed"],
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
    ["EHOSTUNREACH", "connection_closed"],
    ["ENETUNREACH", "connection_closed"],
    ["EPROTO", "connection_closed"],
    ["ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", "connection_closed"],
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
    expect(outcome("EPROTO", false)).toEqual(["tls_failed", "not-sent"]);
    for (const code of ["EHOSTUNREACH", "ECONNREFUSED", "ENOTFOUND", "EPROTO", "CERT_HAS_EXPIRED"])
      expect(outcome(code, true)).toEqual(["connection_closed", "unknown"]);
    expect(outcome("ERR_INVALID_CHAR", true)).toEqual(["internal_error", "unknown"]);
  });

  it("believes a code that can befall a connection at any time when it was the connecting that failed", () => {
    const refused = (code: string): Error => Object.assign(withCode(code), { syscall: "connect" });
    const both = Object.assign(new AggregateError([refused("ENETUNREACH"), refused("EHOSTUNREACH")]), {
      code: "ENETUNREACH",
    });
    for (const cause of [refused("EHOSTUNREACH"), refused("ENETUNREACH"), refused("ETIMEDOUT"), both]) {
      const error = new TypeError("fetch failed", { cause });
      expect(fromFetchError(error, { ...request, sent: undefined })).toMatchObject({
        code: "unreachable",
        outcome: "not-sent",
      });
    }
    const mixed = Object.assign(new AggregateError([refused("EHOSTUNREACH"), withCode("EHOSTUNREACH")]), {
      code: "EHOSTUNREACH",
    });
    for (const error of [mixed, Object.assign(new AggregateError([]), { code: "EHOSTUNREACH" })])
      expect(fromFetchError(error, { ...request, sent: undefined }).outcome).toBe("unknown");
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
