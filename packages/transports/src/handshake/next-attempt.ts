import type { HostsideError, HostsideErrorCode, ServerSpec } from "@hostside/core";
import { modernRevision, reachOf } from "@hostside/core/implement";

const finalCodes: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "aborted",
  "auth_required",
  "closed",
  "dns_failed",
  "forbidden",
  "internal_error",
  "invalid_spec",
  "not_allowed",
  "rate_limited",
  "redirect_refused",
  "spawn_failed",
  "tls_failed",
  "unreachable",
  "unsupported_transport",
]);

// The server lives and answers, but not to what was asked: the revision may be the reason.
const protocolCodes: ReadonlySet<HostsideErrorCode> = new Set<HostsideErrorCode>([
  "handshake_failed",
  "http_error",
  "protocol_error",
  "server_error",
  "unsupported_protocol",
]);

// What the old HTTP+SSE servers answer to a POST at their stream's address.
const sseStatuses: ReadonlySet<number> = new Set([400, 404, 405, 415]);

/** True for a failure that no other handshake and no other transport could change. */
export function isFinal({ code }: HostsideError): boolean {
  return finalCodes.has(code);
}

// HeaderMismatch, MissingRequiredClientCapability, UnsupportedProtocolVersion: nobody before
// 2026-07-28 knew them. https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
const modernRpcCodes: ReadonlySet<number> = new Set([-32_020, -32_021, -32_022]);

/** True for a refusal of `initialize` in words that only a server of 2026-07-28 has. */
export function isModernRefusal({ details: { rpcCode, supported } }: HostsideError): boolean {
  return supported?.includes(modernRevision) ?? (rpcCode !== undefined && modernRpcCodes.has(rpcCode));
}

/** The attempt to begin with, given what was found out about the server before. */
export function firstAttempt(spec: ServerSpec, verdict: EraVerdict | undefined): ConnectAttempt {
  const { era = "auto" } = spec;
  const handshake = era === "auto" ? (verdict?.era ?? "probe") : era === "legacy" ? "legacy" : "modern";
  if (spec.url === undefined) return { channel: spec.command === undefined ? spec.type : "stdio", handshake };
  const { mode = "auto" } = spec;
  const isSse = mode === "sse" || (mode === "auto" && handshake === "legacy" && verdict?.channel === "sse");
  // HTTP+SSE is older than the stateless era.
  return isSse ? { channel: "sse", handshake: "legacy" } : { channel: "streamable", handshake };
}

/**
 * Chooses the next attempt after those that failed, or `undefined` when nothing is left.
 * Credentials that are missing or refused end the search at once: they say nothing about eras or
 * transports. Each attempt is made at most once, so that the search ends.
 */
export function nextAttempt(spec: ServerSpec, failed: readonly FailedAttempt[]): ConnectAttempt | undefined {
  const last = failed.at(-1);
  if (last === undefined || isFinal(last.error)) return undefined;
  const isNew = (attempt: ConnectAttempt): boolean =>
    !failed.some(({ channel, handshake }) => channel === attempt.channel && handshake === attempt.handshake);
  return candidates(spec, last).find(isNew);
}

/**
 * The attempt that tells a server of no capability, where it answered `initialize` with an error
 * and nothing else is left to try.
 */
export function bareAttempt(failed: readonly FailedAttempt[]): ConnectAttempt | undefined {
  const last = failed.at(-1);
  const refused = failed.find(({ didInitialize, error }) => {
    return didInitialize && error.details.rpcCode !== undefined && !isModernRefusal(error);
  });
  if (last === undefined || refused === undefined || last.isBare === true || isFinal(last.error)) return undefined;
  return { channel: refused.channel, handshake: "legacy", isBare: true };
}

function candidates(spec: ServerSpec, last: FailedAttempt): readonly ConnectAttempt[] {
  const { handshake, error } = last;
  const isAutoMode = spec.url !== undefined && (spec.mode ?? "auto") === "auto";
  // The SSE channel is left only when it was trusted from an old verdict; otherwise everything else
  // was tried before it.
  const channel = last.channel === "sse" && isAutoMode ? "streamable" : last.channel;
  const found: ConnectAttempt[] = [];
  if ((spec.era ?? "auto") === "auto") {
    if (isModernRefusal(error)) found.push({ channel, handshake: "modern" });
    if (handshake !== "probe" && protocolCodes.has(error.code)) found.push({ channel, handshake: "probe" });
    // Over HTTP nothing is gained by a second `initialize`; a process may have been confused by the
    // probe before it.
    if (handshake === "probe" && !(channel === "streamable" && last.didInitialize))
      found.push({ channel, handshake: "legacy" });
  }
  const didInitialize = handshake === "legacy" || last.didInitialize;
  if (isAutoMode && didInitialize && sseStatuses.has(error.details.httpStatus ?? 0)) {
    found.push({ channel: "sse", handshake: "legacy" });
  }
  return channel === "sse" ? [] : found;
}

/**
 * The error to report when every attempt failed: the last one, unless that only says that the
 * server does not speak the old HTTP+SSE either.
 */
export function mostTellingError(failed: readonly FailedAttempt[]): HostsideError | undefined {
  const last = failed.at(-1);
  const before = failed.at(-2);
  return last?.channel === "sse" &&
    last.hadStream !== true &&
    before !== undefined &&
    protocolCodes.has(last.error.code)
    ? before.error
    : last?.error;
}

/**
 * How a connection attempt finds the era: `probe` asks with `server/discover` and takes what comes,
 * `legacy` goes straight to `initialize`, `modern` insists on 2026-07-28.
 */
export type Handshake = "probe" | "legacy" | "modern";

/** One try at a server: over which channel, with which handshake. */
export interface ConnectAttempt {
  readonly channel: "stdio" | "streamable" | "sse" | "memory" | "custom";
  readonly handshake: Handshake;
  /** The server is told of no capability of the client: it refused `initialize` with some. */
  readonly isBare?: true | undefined;
}

/** An attempt that failed, and how. */
export interface FailedAttempt extends ConnectAttempt {
  readonly error: HostsideError;
  /** Why the probe before `initialize` did not do. */
  readonly refusal?: HostsideError | undefined;
  /** It came to `initialize`: at once, or after a probe that found no modern server. */
  readonly didInitialize: boolean;
  /** The stream of the old HTTP+SSE was open. */
  readonly hadStream?: boolean;
}

/** The era of a server, as it was found out. */
export interface EraVerdict {
  readonly era: "legacy" | "modern";
  /** For HTTP: which of its transports answered. */
  readonly channel?: "streamable" | "sse";
}

const mostEntries = 1000;
// Servers are updated; what was legacy yesterday may know 2026-07-28 today.
const longestTrustMs = 24 * 60 * 60 * 1000;

/**
 * Remembers verdicts in memory, for the life of a connector, by how a server is reached and with
 * which credentials. Nothing is remembered of a spec that names its era, or is a function.
 */
export class EraCache {
  readonly #verdicts = new Map<string, EraVerdict & { readonly foundAt: number }>();

  /** A verdict of the last 24 hours. */
  recall(spec: ServerSpec): EraVerdict | undefined {
    const found = this.#verdicts.get(keyOf(spec));
    return found === undefined || Date.now() - found.foundAt > longestTrustMs ? undefined : found;
  }

  remember(spec: ServerSpec, verdict: EraVerdict): void {
    const isNamed = spec.command !== undefined || spec.url !== undefined;
    if (!isNamed || (spec.era ?? "auto") !== "auto") return;
    this.forget(spec);
    this.#verdicts.set(keyOf(spec), { ...verdict, foundAt: Date.now() });
    const oldest = this.#verdicts.size > mostEntries ? this.#verdicts.keys().next().value : undefined;
    if (oldest !== undefined) this.#verdicts.delete(oldest);
  }

  forget(spec: ServerSpec): void {
    this.#verdicts.delete(keyOf(spec));
  }
}

function keyOf(spec: ServerSpec): string {
  return JSON.stringify(Object.entries(reachOf(spec)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
