import { isHostsideError, type HostsideErrorCode } from "@hostside/core";

/** What the end of a call says of its server: it is well, it is ill, or nothing. */
export type Health = "well" | "ill" | "unclear";

// The way to the server is broken, or what stands at its end.
const illnesses: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "connection_closed",
  "connect_timeout",
  "dns_failed",
  "handshake_failed",
  "list_timeout",
  "server_exited",
  "spawn_failed",
  "tls_failed",
  "unreachable",
]);
// Whoever answers so is there, whatever the answer.
const answers: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "auth_required",
  "forbidden",
  "input_required",
  "invalid_output",
  "message_too_large",
  "server_error",
]);
const timeouts: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>(["call_timeout", "request_timeout"]);

/**
 * What a call that failed says of its server. Nothing, when it was refused or given up on this
 * side: by a layer, by its caller, by a queue of ours that was too slow, or by a back-off after an
 * earlier failure.
 */
export function judgeHealth(error: unknown): Health {
  if (!isHostsideError(error) || error.details.backOff === true) return "unclear";
  const { code, outcome, details } = error;
  if (illnesses.has(code)) return "ill";
  if (code === "http_error") return (details.httpStatus ?? 500) >= 500 ? "ill" : "well";
  if (outcome === "not-sent") return "unclear";
  if (timeouts.has(code)) return "ill";
  return answers.has(code) ? "well" : "unclear";
}
