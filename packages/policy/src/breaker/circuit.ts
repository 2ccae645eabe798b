import { isHostsideError, type HostsideErrorCode } from "@hostside/core";

/**
 * `closed`: calls go through; `open`: none does; `half-open`: one at a time, to see whether the
 * server is well again.
 */
export type CircuitState = "closed" | "half-open" | "open";

/** A change of a circuit. */
export interface CircuitChange {
  readonly to: CircuitState;
  /** While it is open. */
  readonly openMs?: number;
  readonly reason: string;
}

/** Says how a request that was let through ended, once; later words count for nothing. */
export type EndRequest = (health: Health, error?: unknown) => void;

/** One circuit. */
export interface Circuit {
  readonly state: CircuitState;
  /** How long it stays open from now on; 0 when the next request is a probe, or it is not open. */
  retryAfterMs(): number;
  /** Asks for one request; `undefined`: it is refused. */
  enter(): { readonly isProbe: boolean; readonly end: EndRequest } | undefined;
}

/** The parts of a circuit. */
export interface CircuitInit {
  readonly failures: number;
  /** How long it stays open at first. */
  readonly openMs: number;
  readonly now: () => number;
  readonly onChange: (change: CircuitChange) => void;
}

const mostOpenMs = 120_000;
// So many probes in a row that succeed close it.
const enough = 2;

/** Makes a closed circuit. */
export function createCircuit({ failures: mostFailures, openMs: firstOpenMs, now, onChange }: CircuitInit): Circuit {
  let state: CircuitState = "closed";
  let failures = 0;
  let successes = 0;
  let openMs = firstOpenMs;
  let openUntil = 0;
  let isProbing = false;
  /** Counts changes of the state: what was begun before the latest says nothing of what is now. */
  let era = 0;
  /** Counts failures, in all. */
  let step = 0;
  // One fault befalls every call that shares the connection, and is one.
  const faults = new WeakMap<object, number>();

  const change = (to: CircuitState, reason: string): void => {
    state = to;
    era += 1;
    failures = successes = 0;
    isProbing = false;
    onChange({ to, reason, ...(to === "open" && { openMs }) });
  };
  const open = (forMs: number, error: unknown): void => {
    openMs = forMs;
    openUntil = now() + forMs;
    const last = isHostsideError(error) ? error.code : "an unknown error";
    change("open", `${mostFailures} failures in a row or a probe that failed, the last with ${last}`);
  };
  const count = (error: unknown, startedAtStep: number): void => {
    const fault = faultOf(error);
    if (fault !== undefined && (faults.get(fault) ?? 0) > startedAtStep) return;
    step += 1;
    if (fault !== undefined) faults.set(fault, step);
    failures += 1;
    if (failures >= mostFailures) open(firstOpenMs, error);
  };
  const conclude = (health: Health, error: unknown): void => {
    isProbing = false;
    if (health === "ill") open(Math.min(Math.max(mostOpenMs, firstOpenMs), openMs * 2), error);
    else if (health === "well") {
      successes += 1;
      if (successes >= enough) change("closed", `${enough} probes in a row went well`);
    }
  };
  const pass = (isProbe: boolean): ReturnType<Circuit["enter"]> => {
    const startedInEra = era;
    const startedAtStep = step;
    let isOver = false;
    return {
      isProbe,
      end(health, error) {
        if (isOver || era !== startedInEra) return;
        isOver = true;
        if (isProbe) conclude(health, error);
        else if (health === "ill") count(error, startedAtStep);
        else if (health === "well") failures = 0;
      },
    };
  };
  return {
    get state() {
      return state;
    },
    retryAfterMs: () => (state === "open" ? Math.max(0, openUntil - now()) : 0),
    enter() {
      if (state === "closed") return pass(false);
      if (isProbing || (state === "open" && now() < openUntil)) return undefined;
      if (state === "open") change("half-open", "a first request tries whether it is well again");
      isProbing = true;
      return pass(true);
    },
  };
}

// A chain of causes is short; the bound is against one that loops.
const longestChain = 16;

/** Finds the first cause: the same object for every call that one fault has befallen. */
function faultOf(error: unknown): object | undefined {
  let fault: Error | undefined;
  let current = error;
  for (let depth = 0; depth < longestChain && current instanceof Error; depth += 1) {
    fault = current;
    current = current.cause;
  }
  return fault;
}

/** The verdict of a call on its server: it is well, it is ill, or nothing. */
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
 * Judges the server by a call that failed. Nothing, when it was refused or given up on this
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
