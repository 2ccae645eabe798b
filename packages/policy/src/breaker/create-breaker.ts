import {
  HostsideError,
  isHostsideError,
  type Interceptor,
  type RequestSeam,
  type ServerRequest,
  type ToolOrigin,
} from "@hostside/core";
import { dateOf, onAbort } from "@hostside/core/implement";
import type { CircuitEvent } from "../policy-event.ts";
import type { StageParts } from "../policy-parts.ts";
import { refuseCall } from "../refuse.ts";
import { readSelection } from "../rules/select-tools.ts";
import { toolSubject, type ToolSubject } from "../rules/tool-subject.ts";
import { readBreaker, type BreakerOptions, type BreakerRules } from "./breaker-options.ts";
import { createCircuit, type Circuit, type CircuitChange, type CircuitState } from "./circuit.ts";
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
  /** Of one server or tool; `closed` for one that never failed. */
  state(origin: Pick<ToolOrigin, "serverId" | "toolName">): CircuitState;
  /** All that are not closed, by server and tool. */
  statuses(): readonly CircuitStatus[];
  /** What it does with a tool, in words. */
  describe(subject: ToolSubject): readonly string[];
}

/** The state as the metric `circuit_state` has it. */
export const circuitStateNumber: Readonly<Record<CircuitState, 0 | 1 | 2>> = { closed: 0, "half-open": 1, open: 2 };

interface Entry {
  readonly circuit: Circuit;
  readonly serverId: string;
  readonly toolName: string | undefined;
}

// More than there are servers; names of tools come from these.
const maxCircuits = 10_000;

/**
 * Makes it. Throws a `TypeError` for options that make no sense. A request that it refuses fails
 * with `circuit_open` at once, and `details.retryAfterMs` says how long it is open.
 */
export function createBreaker(options: BreakerOptions, parts: StageParts): Breaker {
  const rules = readBreaker(options);
  const tools = options.tools === undefined ? undefined : readSelection(options.tools, "breaker.tools");
  const circuits = createCircuits(rules);
  const now = (): number => parts.clock.now();
  const tell = (entry: Entry, change: CircuitChange | undefined, reason: string): void => {
    if (change !== undefined) parts.emit(circuitEvent(entry, change, { at: dateOf(parts.clock), reason }));
  };
  const isAbout = ({ serverId, call }: ServerRequest): boolean => {
    if (options.servers?.(serverId) === false) return false;
    if (tools === undefined) return true;
    return call !== undefined && tools.matches(toolSubject(call.definition, call.server, parts));
  };
  return {
    async seam(request, send) {
      if (!isAbout(request)) return send();
      const { serverId, call, isStartup = false } = request;
      const entry = circuits.enter({ serverId, toolName: call?.origin.toolName });
      // To refuse it would cost a session that a probe waits for.
      if (isStartup && entry.circuit.state !== "closed") return send();
      const entered = entry.circuit.enter(now);
      if (entered === undefined) throw refuseOpen(request, entry, parts);
      tell(entry, entered.change, "a first request tries whether it is well again");
      const end = (health: Health, reason?: unknown): void =>
        tell(entry, entered.pass.end(health, faultOf(reason)), reasonFor(rules, health, reason));
      return entered.pass.isProbe ? probe(request, send, end) : run(send, end);
    },
    interceptor(call, next) {
      const { serverId, toolName } = call.origin;
      const request = { serverId, method: "tools/call", call };
      const entry = isAbout(request) ? circuits.find({ serverId, toolName }) : undefined;
      if (entry === undefined || entry.circuit.retryAfterMs(now()) === 0) return next(call);
      return Promise.reject(refuseOpen(request, entry, parts));
    },
    state: ({ serverId, toolName }) => circuits.find({ serverId, toolName })?.circuit.state ?? "closed",
    statuses: () =>
      Array.from(circuits.all()).flatMap(({ circuit, serverId, toolName }) => {
        const { state } = circuit;
        if (state === "closed") return [];
        return [
          { serverId, ...(toolName !== undefined && { toolName }), state, retryAfterMs: circuit.retryAfterMs(now()) },
        ];
      }),
    describe(subject) {
      if (subject.serverId === "" || options.servers?.(subject.serverId) === false) return [];
      if (tools?.matches(subject) === false) return [];
      const { circuit } = circuits.find(subject) ?? { circuit: undefined };
      const subjectKind = rules.per;
      const { failures, openMs, maxOpenMs, successes } = rules;
      const when = `${failures} failures in a row open the circuit of its ${subjectKind} for ${openMs} ms, at most ${maxOpenMs} ms`;
      return [`breaker: ${when}; ${successes} good probes close it; now it is ${circuit?.state ?? "closed"}`];
    },
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

/** The place of a probe is free as soon as nobody waits for it, whenever the server may answer. */
async function probe<Answer>({ signal }: ServerRequest, send: () => Promise<Answer>, end: End): Promise<Answer> {
  const ignore = signal && onAbort(signal, () => end(judgeHealth(signal.reason), signal.reason));
  try {
    return await run(send, end);
  } finally {
    ignore?.();
  }
}

/** Whose circuit; without a name of a tool, that of all that is no call. */
interface CircuitSubject {
  readonly serverId: string;
  readonly toolName: string | undefined;
}

interface Circuits {
  find(subject: CircuitSubject): Entry | undefined;
  /** The one for a request, made when there is none. */
  enter(subject: CircuitSubject): Entry;
  all(): Iterable<Entry>;
}

function createCircuits(rules: BreakerRules): Circuits {
  const entries = new Map<string, Entry>();
  const nameIn = ({ toolName }: CircuitSubject): string | undefined => (rules.per === "tool" ? toolName : undefined);
  const keyOf = (subject: CircuitSubject): string => JSON.stringify([subject.serverId, nameIn(subject)]);
  return {
    find: (subject) => entries.get(keyOf(subject)),
    enter(subject) {
      const key = keyOf(subject);
      const known = entries.get(key);
      if (known !== undefined) return known;
      if (entries.size >= maxCircuits) dropOne(entries);
      const made = { circuit: createCircuit(rules), serverId: subject.serverId, toolName: nameIn(subject) };
      entries.set(key, made);
      return made;
    },
    all: () => entries.values(),
  };
}

// A breaker spares time, and keeps nobody out: what is forgotten costs a few failures more.
function dropOne(entries: Map<string, Entry>): void {
  let first: string | undefined;
  for (const [key, { circuit }] of entries) {
    first ??= key;
    if (circuit.isUnused) return void entries.delete(key);
  }
  if (first !== undefined) entries.delete(first);
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

function reasonFor({ failures, successes }: BreakerRules, health: Health, reason: unknown): string {
  if (health === "well") return `${successes} probes in a row went well`;
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
