import {
  HostsideError,
  type Interceptor,
  type RequestSeam,
  type ServerRequest,
  type ToolCall,
  isHostsideError,
  type HostsideErrorCode,
} from "@hostside/core";
import { assertKnownOptions, clock, onAbort, readWholeNumber, type Fields } from "@hostside/core/implement";
import { assertFunctions, readOneOf, readPositiveNumber } from "../read-options.ts";
import { type StageParts, refuseCall } from "../refuse.ts";
import { keepLatest } from "../seen-tools.ts";

/** When a server is left alone because it fails, and how it is tried again. */
export interface BreakerOptions {
  /** Which servers, by their ids. Must not throw. Default: all. */
  readonly servers?: ((serverId: string) => boolean) | undefined;
  /**
   * The group that fails together: all requests of a server, or the calls of each tool by
   * themselves. Default `"server"`.
   */
  readonly per?: "server" | "tool" | undefined;
  /** So many failures in a row open it. Default 5. */
  readonly failures?: number | undefined;
  /**
   * How long it stays open at first, in milliseconds. Default 10,000. Each probe that fails doubles
   * that, up to 120,000.
   */
  readonly openMs?: number | undefined;
}

/** The part of a policy that sends nothing to a server that fails. */
export interface Breaker {
  readonly seam: RequestSeam;
  /**
   * Refuses a call while its circuit is open, so that nothing is used up for it. Counts nothing.
   */
  readonly interceptor: Interceptor;
}

interface Entry {
  readonly circuit: ReturnType<typeof createCircuit>;
  readonly place: { readonly serverId: string; readonly toolName?: string };
}

const fields: Fields<BreakerOptions> = { servers: true, per: true, failures: true, openMs: true };
const eventTypes = { open: "circuit-opened", "half-open": "circuit-half-opened", closed: "circuit-closed" } as const;
// More than there are servers; names of tools come from these. A circuit that is forgotten costs a
// few failures more.
const maxCircuits = 10_000;

/**
 * Makes a breaker. Failures that speak of the server's health count: lost connections, timeouts on
 * the wire, HTTP 5xx. One fault counts once, however many calls it befell.
 *
 * Throws a `TypeError` for options that make no sense.
 */
export function createBreaker(options: BreakerOptions, parts: StageParts): Breaker {
  assertKnownOptions("breaker", options, fields);
  const { servers } = options;
  const per = readOneOf(options.per, ["server", "tool"], "breaker.per") ?? "server";
  assertFunctions("breaker.", { servers });
  const failures = readWholeNumber(options.failures, "breaker.failures", { least: 1, otherwise: 5 });
  const openMs = readPositiveNumber(options.openMs ?? 10_000, "breaker.openMs");
  const circuits = new Map<string, Entry>();
  const keyOf = ({ serverId, call }: ServerRequest): string =>
    per === "server" ? serverId : JSON.stringify([serverId, call?.origin.toolName]);
  const make = (request: ServerRequest): Entry => {
    const { serverId, call } = request;
    const place = { serverId, ...(per === "tool" && call !== undefined && { toolName: call.origin.toolName }) };
    const circuit = createCircuit(failures, openMs, (to, change) =>
      parts.emit({ type: eventTypes[to], at: clock.date(), ...place, ...change }),
    );
    return { circuit, place };
  };
  // The one that was used longest ago is forgotten first.
  const keep = (request: ServerRequest, entry: Entry): void =>
    keepLatest(circuits, [keyOf(request), entry], maxCircuits);
  const isOn = (serverId: string): boolean => servers?.(serverId) !== false;
  const refuseIfOpen: Interceptor = (call, next) => {
    const { serverId } = call.origin;
    const request: ServerRequest = { serverId, method: "tools/call", call };
    const entry = isOn(serverId) ? circuits.get(keyOf(request)) : undefined;
    if (entry === undefined || entry.circuit.retryAfterMs() === 0) return next(call);
    keep(request, entry);
    return Promise.reject(refuseOpen(request, entry, parts));
  };
  return {
    async seam(request, send) {
      if (!isOn(request.serverId)) return send();
      const entry = circuits.get(keyOf(request)) ?? make(request);
      keep(request, entry);
      // To refuse it would cost a session that a probe waits for.
      if (request.isStartup === true && entry.circuit.state !== "closed") return send();
      const entered = entry.circuit.enter();
      if (entered === undefined) throw refuseOpen(request, entry, parts);
      return run(entered.isProbe ? request.signal : undefined, send, entered.end);
    },
    interceptor: Object.assign(refuseIfOpen, { passes: ({ origin }: ToolCall) => !isOn(origin.serverId) }),
  };
}

// A probe that is aborted frees its place at once, though its server may never answer.
async function run<Answer>(
  signal: AbortSignal | undefined,
  send: () => Promise<Answer>,
  end: EndRequest,
): Promise<Answer> {
  const ignore = signal && onAbort(signal, () => end(judgeHealth(signal.reason), signal.reason));
  try {
    const answer = await send();
    // A tool that says that it failed is there to say so.
    end("well");
    return answer;
  } catch (error) {
    end(judgeHealth(error), error);
    throw error;
  } finally {
    ignore?.();
  }
}

function refuseOpen(
  { serverId, method, call }: ServerRequest,
  { circuit, place }: Entry,
  parts: StageParts,
): HostsideError {
  const retryAfterMs = Math.ceil(circuit.retryAfterMs());
  const isOpen = circuit.state === "open";
  const next = isOpen
    ? `is left alone for another ${retryAfterMs} ms`
    : "another request tries whether it is well again";
  const subject = place.toolName === undefined ? "server" : "tool";
  const reason = `is refused: its ${subject} failed too often, and ${next}`;
  const details = isOpen ? { retryAfterMs } : {};
  const code = "circuit_open";
  if (call !== undefined) return refuseCall(call, { stage: "breaker", code, reason, rule: "breaker", details }, parts);
  return new HostsideError(`${method} of server ${JSON.stringify(serverId)} ${reason}`, {
    code,
    serverId,
    outcome: "not-sent",
    details: { ...details, operation: method, policy: "breaker" },
  });
}

/**
 * `closed`: calls go through; `open`: none does; `half-open`: one at a time, to see whether the
 * server is well again.
 */
type CircuitState = "closed" | "half-open" | "open";

/** Says how a request that was let through ended, once; later words count for nothing. */
type EndRequest = (health: Health, error?: unknown) => void;

const mostOpenMs = 120_000;
// So many probes in a row that succeed close it.
const enough = 2;

/** Makes a closed circuit, which stays open for `firstOpenMs` at first. */
function createCircuit(
  mostFailures: number,
  firstOpenMs: number,
  onChange: (to: CircuitState, change: { readonly reason: string; readonly openMs?: number }) => void,
) {
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
    onChange(to, { reason, ...(to === "open" && { openMs }) });
  };
  const open = (forMs: number, error: unknown): void => {
    openMs = forMs;
    openUntil = clock.now() + forMs;
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
  const pass = (isProbe: boolean): { readonly isProbe: boolean; readonly end: EndRequest } => {
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
    get state(): CircuitState {
      return state;
    },
    /** How long it stays open; 0 when the next request is a probe, or it is not open. */
    retryAfterMs: (): number => (state === "open" ? Math.max(0, openUntil - clock.now()) : 0),
    /** Asks for one request; `undefined`: it is refused. */
    enter(): ReturnType<typeof pass> | undefined {
      if (state === "closed") return pass(false);
      if (isProbing || (state === "open" && clock.now() < openUntil)) return undefined;
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
type Health = "well" | "ill" | "unclear";

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
function judgeHealth(error: unknown): Health {
  if (!isHostsideError(error) || error.details.backOff === true) return "unclear";
  const { code, outcome, details } = error;
  if (illnesses.has(code)) return "ill";
  if (code === "http_error") return (details.httpStatus ?? 500) >= 500 ? "ill" : "well";
  if (outcome === "not-sent") return "unclear";
  if (timeouts.has(code)) return "ill";
  return answers.has(code) ? "well" : "unclear";
}
