import { HostsideError, type ErrorDetails, type ServerSpec, type HostsideErrorCode } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { firstAttempt, mostTellingError, nextAttempt, type FailedAttempt } from "./next-attempt.ts";

const stdio: ServerSpec = { id: "s", type: "stdio", command: "x" };
const http: ServerSpec = { id: "s", type: "http", url: "https://x.test/mcp" };
const sse: ServerSpec = { id: "s", type: "http", url: "https://x.test/mcp", mode: "sse" };
const streamable: ServerSpec = { id: "s", type: "http", url: "https://x.test/mcp", mode: "streamable" };
const foundAt = 0;

describe("firstAttempt()", () => {
  it.each([
    { name: "a new process", spec: stdio, verdict: undefined, first: "stdio/probe" },
    { name: "a process known to be legacy", spec: stdio, verdict: { era: "legacy", foundAt }, first: "stdio/legacy" },
    { name: "a process known to be modern", spec: stdio, verdict: { era: "modern", foundAt }, first: "stdio/modern" },
    {
      name: "a process said to be legacy",
      spec: { ...stdio, era: "legacy" },
      verdict: undefined,
      first: "stdio/legacy",
    },
    {
      name: "a process said to be modern",
      spec: { ...stdio, era: "2026-07-28" },
      verdict: undefined,
      first: "stdio/modern",
    },
    { name: "a new URL", spec: http, verdict: undefined, first: "streamable/probe" },
    {
      name: "a URL known to be legacy",
      spec: http,
      verdict: { era: "legacy", channel: "streamable", foundAt },
      first: "streamable/legacy",
    },
    {
      name: "a URL known to be SSE",
      spec: http,
      verdict: { era: "legacy", channel: "sse", foundAt },
      first: "sse/legacy",
    },
    { name: "a URL said to be SSE", spec: sse, verdict: undefined, first: "sse/legacy" },
    {
      name: "a URL said to be Streamable, once known to be SSE",
      spec: streamable,
      verdict: { era: "legacy", channel: "sse", foundAt },
      first: "streamable/legacy",
    },
  ] as const)("begins with $first for $name", ({ spec, verdict, first }) => {
    expect(nameOf(firstAttempt(spec, verdict))).toBe(first);
  });
});

describe("nextAttempt()", () => {
  it.each<{ name: string; spec: ServerSpec; failed: FailedAttempt[]; next: string | undefined }>([
    {
      name: "the child died of the probe",
      spec: stdio,
      failed: [fail("stdio/probe", "server_exited")],
      next: "stdio/legacy",
    },
    {
      name: "the child died again",
      spec: stdio,
      failed: [fail("stdio/probe", "server_exited"), fail("stdio/legacy", "server_exited")],
      next: undefined,
    },
    {
      name: "the child was silent, and refused what came after the probe",
      spec: stdio,
      failed: [fail("stdio/probe", "server_error", {}, true)],
      next: "stdio/legacy",
    },
    {
      name: "initialize was refused by a modern-only server (-32022)",
      spec: stdio,
      failed: [fail("stdio/probe", "unsupported_protocol", { supported: ["2026-07-28"] }, true)],
      next: "stdio/modern",
    },
    {
      name: "a verdict of old says legacy, and the server is modern-only now",
      spec: stdio,
      failed: [fail("stdio/legacy", "unsupported_protocol", { supported: ["2026-07-28"] })],
      next: "stdio/modern",
    },
    {
      name: "a verdict of old says modern, and the server is not",
      spec: stdio,
      failed: [fail("stdio/modern", "handshake_failed")],
      next: "stdio/probe",
    },
    {
      name: "a server known to be legacy exits at its start",
      spec: stdio,
      failed: [fail("stdio/legacy", "server_exited")],
      next: undefined,
    },
    { name: "the program is missing", spec: stdio, failed: [fail("stdio/probe", "spawn_failed")], next: undefined },
    {
      name: "legacy is forced",
      spec: { ...stdio, era: "legacy" },
      failed: [fail("stdio/legacy", "unsupported_protocol", { supported: ["2026-07-28"] })],
      next: undefined,
    },
    {
      name: "modern is forced",
      spec: { ...stdio, era: "2026-07-28" },
      failed: [fail("stdio/modern", "handshake_failed")],
      next: undefined,
    },
    {
      name: "initialize followed the probe over HTTP, and got 500",
      spec: http,
      failed: [fail("streamable/probe", "http_error", { httpStatus: 500 }, true)],
      next: undefined,
    },
    {
      name: "nobody listens at the URL",
      spec: http,
      failed: [fail("streamable/probe", "unreachable")],
      next: undefined,
    },
    { name: "the host has no address", spec: http, failed: [fail("streamable/probe", "dns_failed")], next: undefined },
    { name: "TLS fails", spec: http, failed: [fail("streamable/probe", "tls_failed")], next: undefined },
    {
      name: "the URL redirects",
      spec: http,
      failed: [fail("streamable/probe", "redirect_refused", { httpStatus: 307 })],
      next: undefined,
    },
    {
      name: "the server is busy",
      spec: http,
      failed: [fail("streamable/probe", "rate_limited", { httpStatus: 429 })],
      next: undefined,
    },
    ...[400, 404, 405, 415].map((httpStatus) => ({
      name: `initialize gets ${httpStatus}`,
      spec: http,
      failed: [
        fail("streamable/probe", "http_error", { httpStatus }),
        fail("streamable/legacy", "http_error", { httpStatus }),
      ],
      next: "sse/legacy",
    })),
    ...[402, 406, 410, 500, 502].map((httpStatus) => ({
      name: `initialize gets ${httpStatus}`,
      spec: http,
      failed: [
        fail("streamable/probe", "http_error", { httpStatus }),
        fail("streamable/legacy", "http_error", { httpStatus }),
      ],
      next: undefined,
    })),
    {
      name: "initialize gets 401 (never a fallback)",
      spec: http,
      failed: [fail("streamable/legacy", "auth_required", { httpStatus: 401 })],
      next: undefined,
    },
    {
      name: "the probe gets 401 (never a fallback)",
      spec: http,
      failed: [fail("streamable/probe", "auth_required", { httpStatus: 401 })],
      next: undefined,
    },
    {
      name: "the probe gets 403 (never a fallback)",
      spec: http,
      failed: [fail("streamable/probe", "forbidden", { httpStatus: 403 })],
      next: undefined,
    },
    {
      name: "the mode is streamable and initialize gets 405",
      spec: streamable,
      failed: [
        fail("streamable/probe", "http_error", { httpStatus: 405 }),
        fail("streamable/legacy", "http_error", { httpStatus: 405 }),
      ],
      next: undefined,
    },
    {
      name: "the era is modern and discover gets 405",
      spec: { ...http, era: "2026-07-28" },
      failed: [fail("streamable/modern", "http_error", { httpStatus: 405 })],
      next: undefined,
    },
    {
      name: "SSE fails after Streamable HTTP",
      spec: http,
      failed: [
        fail("streamable/probe", "http_error", { httpStatus: 405 }),
        fail("streamable/legacy", "http_error", { httpStatus: 405 }),
        fail("sse/legacy", "http_error", { httpStatus: 404 }),
      ],
      next: undefined,
    },
    {
      name: "SSE was trusted, and the server is no such any more",
      spec: http,
      failed: [fail("sse/legacy", "http_error", { httpStatus: 405 })],
      next: "streamable/probe",
    },
    {
      name: "a forced SSE fails",
      spec: sse,
      failed: [fail("sse/legacy", "http_error", { httpStatus: 405 })],
      next: undefined,
    },
    { name: "the caller aborted", spec: http, failed: [fail("streamable/probe", "aborted")], next: undefined },
  ])("tries $next when $name", ({ spec, failed, next }) => {
    const attempt = nextAttempt(spec, failed);
    expect(attempt && nameOf(attempt)).toBe(next);
  });

  it("comes to an end however attempts fail", () => {
    const codes: HostsideErrorCode[] = ["http_error", "unsupported_protocol", "handshake_failed", "server_exited"];
    for (const spec of [stdio, http, sse, streamable]) {
      for (const code of codes) {
        const failed: FailedAttempt[] = [];
        for (let next = firstAttempt(spec, undefined); ;) {
          failed.push({
            ...next,
            error: error(code, { httpStatus: 404, supported: ["2026-07-28"] }),
            didInitialize: false,
          });
          const following = nextAttempt(spec, failed);
          if (following === undefined) break;
          next = following;
        }
        expect(failed.length).toBeLessThanOrEqual(4);
      }
    }
  });
});

describe("mostTellingError()", () => {
  it("is that of Streamable HTTP when SSE only adds that it is not spoken either", () => {
    const failed = [
      fail("streamable/legacy", "http_error", { httpStatus: 404 }),
      fail("sse/legacy", "http_error", { httpStatus: 405 }),
    ];
    expect(mostTellingError(failed)).toBe(failed[0]?.error);
  });

  it("is that of SSE when it says something new", () => {
    const failed = [
      fail("streamable/legacy", "http_error", { httpStatus: 405 }),
      fail("sse/legacy", "auth_required", { httpStatus: 401 }),
    ];
    expect(mostTellingError(failed)).toBe(failed[1]?.error);
  });
});

function fail(
  name: string,
  ...[code, details = {}, didInitialize = false]: [HostsideErrorCode, ErrorDetails?, boolean?]
): FailedAttempt {
  const [channel, handshake] = name.split("/");
  // Written as text so that a row of the table fits a line.
  return { channel, handshake, error: error(code, details), didInitialize } as FailedAttempt;
}

function error(code: HostsideErrorCode, details: ErrorDetails): HostsideError {
  return new HostsideError(code, { code, details });
}

function nameOf({ channel, handshake }: { channel: string; handshake: string }): string {
  return `${channel}/${handshake}`;
}
