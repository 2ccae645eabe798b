import { HostsideError, isHostsideError, type Interceptor, type RequestSeam, type ServerRequest } from "@hostside/core";
import { dateOf, onAbort } from "@hostside/core/implement";
import { LRUCache } from "lru-cache";
import type { CircuitEvent } from "../policy-event.ts";
import type { StageParts } from "../policy-parts.ts";
import { refuseCall } from "../refuse.ts";
import { readBreaker, type BreakerOptions, type BreakerRules } from "./breaker-options.ts";
import { createCircuit, enough, type Circuit, type CircuitChange, type CircuitState } from "./circuit.ts";
import { judgeHealth, type Health } from "./judge-health.ts";

/** What a breaker knows of a server or tool. */
export interface CircuitStatus {
  readonly serverId: string;
  /** Absent: it is about the whole server. */
  readonly toolName?: string;
  readonly state: CircuitState;
  /** While it is open: how long it is, from now on. */
  readonly retryAfterMs: number;
}

/** The part of a policy that sends nothing to a server that fails. */
export interface Breaker {
  readonly seam: RequestSeam;
  /**
   * Refuses a call while its circuit is open, so that nothing is used up for it. Counts nothing.
   */
  readonly interceptor: Interceptor;
  /** All that are not closed, by server and tool. */
  statuses(): readonly CircuitStatus[];
}

interface Entry {
  readonly circuit: Circuit;
  readonly serverId: string;
  readonly toolName: string | undefined;
}

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
  const rules = readBreaker(options);
  const circuits = new LRUCache<string, Entry>({ max: maxCircuits });
  const now = (): number => parts.clock.now();
  const tell = (entry: Entry, change: CircuitChange | undefined, reason: string): void => {
    if (change !== undefined) parts.emit(circuitEvent(entry, change, { at: dateOf(parts.clock), reason }));
  };
  const isAbout = (serverId: string): boolean => options.servers?.(serverId) !== false;
  const nameIn = (toolName: string | undefined): string | undefined => (rules.per === "tool" ? toolName : undefined);
  const keyOf = (serverId: string, toolName: string | undefined): string =>
    JSON.stringify([serverId, nameIn(toolName)]);
  const enter = ({ serverId, call }: ServerRequest): Entry => {
    const key = keyOf(serverId, call?.origin.toolName);
    const known = circuits.get(key);
    if (known !== undefined) return known;
    const made = { circuit: createCircuit(rules), serverId, toolName: nameIn(call?.origin.toolName) };
    circuits.set(key, made);
    return made;
  };
  return {
    async seam(request, send) {
      if (!isAbout(request.serverId)) return send();
      const entry = enter(request);
      // To refuse it would cost a session that a probe waits for.
      if (request.isStartup === true && entry.circuit.state !== "closed") return send();
      const entered = entry.circuit.enter(now);
      if (entered === undefined) throw refuseOpen(request, entry, parts);
      tell(entry, entered.change, "a first request tries whether it is well again");
      const end = (health: Health, reason?: unknown): void =>
        tell(entry, entered.pass.end(health, faultOf(reason)), reasonFor(rules, health, reason));
      return entered.pass.isProbe ? probe(request, send, end) : run(send, end);
    },
    interceptor(call, next) {
      const { serverId, toolName } = call.origin;
      const entry = isAbout(serverId) ? circuits.get(keyOf(serverId, toolName)) : undefined;
      if (entry === undefined || entry.circuit.retryAfterMs(now()) === 0) return next(call);
      return Promise.reject(refuseOpen({ serverId, method: "tools/call", call }, entry, parts));
    },
    statuses: () =>
      Array.from(circuits.rvalues() as Iterable<Entry>, ({ circuit, serverId, toolName }) => ({
        serverId,
        ...(toolName !== undefined && { toolName }),
        state: circuit.state,
        retryAfterMs: circuit.retryAfterMs(now()),
      })).filter(({ state }) => state !== "closed"),
  };
}

type End = (health: Health, reason?: unknown) => void;

async function run<Answer>(send: () => Promise<Answer>, end: End): Promise<Answer> {
  try {
    const answer = await send();
    // A tool that says that it failed is there to say so.
    end("well");
    return answer;
  } catch (error) {
    end(judgeHealth(error), error);
    throw error;
  }
}

// A probe that is aborted frees its place at once, though its server may never answer.
async function probe<Answer>({ signal }: ServerRequest, send: () => Promise<Answer>, end: End): Promise<Answer> {
  const ignore = signal && onAbort(signal, () => end(judgeHealth(signal.reason), signal.reason));
  try {
    return await run(send, end);
  } finally {
    ignore?.();
  }
}

function refuseOpen(
  { serverId, method, call }: ServerRequest,
  { circuit, toolName }: Entry,
  parts: StageParts,
): HostsideError {
  const retryAfterMs = Math.ceil(circuit.retryAfterMs(parts.clock.now()));
  const subjectKind = toolName === undefined ? "server" : "tool";
  const reason =
    circuit.state === "open"
      ? `is refused: its ${subjectKind} failed too often, and is left alone for another ${retryAfterMs} ms`
      : `is refused: its ${subjectKind} failed too often, and another request tries whether it is well again`;
  const details = circuit.state === "open" ? { retryAfterMs } : {};
  const refusal = { stage: "breaker", code: "circuit_open", reason, rule: "breaker", details } as const;
  if (call !== undefined) return refuseCall(call, refusal, parts);
  return new HostsideError(`${method} of server ${JSON.stringify(serverId)} ${reason}`, {
    code: "circuit_open",
    serverId,
    outcome: "not-sent",
    details: { ...details, operation: method, policy: "breaker" },
  });
}

function reasonFor({ failures }: BreakerRules, health: Health, reason: unknown): string {
  if (health === "well") return `${enough} probes in a row went well`;
  return `${failures} failures in a row or a probe that failed, the last with ${isHostsideError(reason) ? reason.code : "an unknown error"}`;
}

function circuitEvent(
  { serverId, toolName }: Entry,
  { to, openMs }: CircuitChange,
  rest: Pick<CircuitEvent, "at" | "reason">,
): CircuitEvent {
  const types = { open: "circuit-opened", "half-open": "circuit-half-opened", closed: "circuit-closed" } as const;
  return {
    type: types[to],
    serverId,
    ...(toolName !== undefined && { toolName }),
    ...(openMs !== undefined && { openMs }),
    ...rest,
  };
}

// A chain of causes is short; the bound is against one that loops.
const longestChain = 16;

/** What stands at the beginning: the same object for every call that one fault has befallen. */
function faultOf(error: unknown): object | undefined {
  let fault: Error | undefined;
  let current = error;
  for (let depth = 0; depth < longestChain && current instanceof Error; depth += 1) {
    fault = current;
    current = current.cause;
  }
  return fault;
}
