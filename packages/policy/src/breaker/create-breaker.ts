import { HostsideError, type Interceptor, type RequestSeam, type ServerRequest, type ToolCall } from "@hostside/core";
import { assertKnownOptions, clock, onAbort, readWholeNumber, type Fields } from "@hostside/core/implement";
import { type StageParts, refuseCall } from "../refuse.ts";
import { assertFunctions, readOneOf, readPositiveNumber } from "../read-options.ts";
import { keepLatest } from "../seen-tools.ts";
import { createCircuit, type Circuit, type CircuitInit, type EndRequest, judgeHealth } from "./circuit.ts";

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
  readonly circuit: Circuit;
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
    const onChange: CircuitInit["onChange"] = ({ to, ...change }) =>
      parts.emit({ type: eventTypes[to], at: clock.date(), ...place, ...change });
    return { circuit: createCircuit({ failures, openMs, now: () => clock.now(), onChange }), place };
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
