import { HostsideError, type ServerInfo, type ServerSpec } from "@hostside/core";
import {
  type Deadline,
  type KnownServer,
  modernRevision,
  untilAborted,
  withErrorContext,
} from "@hostside/core/implement";
import type { SafeHooks } from "../context/safe-hooks.ts";
import type { ServerContext } from "../context/server-context.ts";
import { type MetaSource, asHostsideError } from "../message/outgoing-request.ts";
import type { ClientIdentity } from "../message/revisions.ts";
import type { Transport } from "../message/transport.ts";
import { quoteEvidence } from "../text/safe-excerpt.ts";
import { eitherSignal } from "../time/cancellable-wait.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { Wire, type WireEvents } from "../wire/wire.ts";
import {
  type ConnectAttempt,
  type EraCache,
  type FailedAttempt,
  bareAttempt,
  firstAttempt,
  mostTellingError,
  nextAttempt,
} from "./next-attempt.ts";
import { shakeHands, type Greeting, type HandshakeStep } from "./shake-hands.ts";

/** The context of all attempts of one connection. */
export interface HandshakeContext extends ServerContext {
  readonly spec: ServerSpec;
  /** The part that is kept when the opening is over. */
  readonly lasting: ServerContext;
  readonly hooks: SafeHooks;
  readonly identity: ClientIdentity;
  readonly eraCache: EraCache;
  /**
   * Gives more for the `_meta` of the requests that the connection begins with; absent when nothing
   * does.
   */
  readonly opening: MetaSource | undefined;
  /** For all attempts together. The code that made the context disposes of it. */
  readonly deadline: Deadline;
  /** Answers a server's elicitations; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
}

/** The input of {@linkcode tryAttempts}. */
export interface AttemptsInit {
  readonly context: HandshakeContext;
  /** Events of every attempt; `onDown` only of the one that succeeded. */
  readonly events: WireEvents;
  readonly open: (attempt: ConnectAttempt) => Promise<Transport>;
}

/** A transport with a wire on it, on which the handshake is done. */
export interface Established extends Greeting {
  readonly attempt: ConnectAttempt;
  readonly wire: Wire;
  /** Answers the server's questions, of either era; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
}

/**
 * Finds a way to speak with the server, attempt by attempt, and remembers which one it was. Throws
 * the most telling failure, with all of them behind it; nothing is left then.
 */
export async function tryAttempts(init: AttemptsInit): Promise<Established> {
  const { context } = init;
  const { spec, eraCache, deadline, identity, onDiagnostic } = context;
  const failed: FailedAttempt[] = [];
  const hasCapabilities = Object.keys(identity.capabilities).length > 0;
  for (let attempt = firstAttempt(spec, eraCache.recall(spec)); ;) {
    const result = await makeAttempt(init, attempt, failed);
    if ("wire" in result) {
      remember(init, result, failed);
      return result;
    }
    failed.push(result);
    eraCache.forget(spec);
    const more = nextAttempt(spec, failed) ?? (hasCapabilities ? bareAttempt(failed) : undefined);
    if (more === undefined || deadline.signal.aborted) throw toConnectError(result, failed);
    const to = `${more.channel} (${more.handshake}${more.isBare === true ? ", without elicitation" : ""})`;
    onDiagnostic({
      kind: "fallback",
      serverId: spec.id,
      message: `server ${JSON.stringify(spec.id)}: ${result.channel} (${result.handshake}) failed with ${result.error.code}; trying ${to}`,
    });
    attempt = more;
  }
}

function remember(
  { context }: AttemptsInit,
  { attempt: { channel }, claimed, isCertain }: Established,
  failed: readonly FailedAttempt[],
): void {
  // Silence may be a slow start, and a failure a bad moment; neither says anything about the
  // server's next start.
  if (!isCertain || failed.some(({ refusal }) => refusal?.code === "request_timeout")) return;
  const isHttp = channel === "streamable" || channel === "sse";
  context.eraCache.remember(context.spec, { era: claimed.era, ...(isHttp && { channel }) });
}

function toConnectError(last: FailedAttempt, failed: readonly FailedAttempt[]): HostsideError {
  const error = mostTellingError(failed) ?? last.error;
  const causes = failed.flatMap((attempt) => [...(attempt.refusal ? [attempt.refusal] : []), attempt.error]);
  if (causes.length < 2) return error;
  return withErrorContext(error, { cause: new AggregateError(causes, `${causes.length} ways to begin failed`) });
}

// The deadline of all attempts must come before that of a request, which knows less about what it
// cuts off.
const graceMs = 1000;

/**
 * Makes one attempt. A failure is a value, because the next attempt is chosen by it; nothing of the
 * attempt is left by then.
 */
export async function makeAttempt(
  { context, events, open }: AttemptsInit,
  attempt: ConnectAttempt,
  before: readonly FailedAttempt[] = [],
): Promise<Established | FailedAttempt> {
  const { deadline, opening, lasting, hooks } = context;
  const isBare = attempt.isBare === true;
  const identity = isBare ? { ...context.identity, capabilities: {} } : context.identity;
  const elicitor = isBare ? undefined : context.elicitor;
  const ending = new AbortController();
  let isEstablished = false;
  let refusal: HostsideError | undefined;
  let step: HandshakeStep = attempt.handshake === "legacy" ? "initialize" : "server/discover";
  let transport: Transport | undefined;
  let wire: Wire | undefined;
  try {
    deadline.signal.throwIfAborted();
    transport = await open(attempt);
    // It may be over before there was anybody to tell.
    if (transport.closeReason !== undefined) throw transport.closeReason;
    const onDown = (error: HostsideError): void => (isEstablished ? events.onDown(error) : ending.abort(error));
    wire = new Wire({ transport, identity, context: lasting, events: { ...events, onDown }, elicitor });
    const { signal, release } = eitherSignal(deadline.signal, ending.signal);
    const greeting = await untilAborted(
      shakeHands({
        context,
        wire,
        identity,
        opening,
        handshake: attempt.handshake,
        probeMs: aloneMs(wire, context),
        timeoutMs: deadline.remainingMs() + graceMs,
        signal,
        onStep(next, why) {
          step = next;
          refusal = why;
        },
      }),
      signal,
    ).finally(release);
    // It may have ended while the good news was on its way here.
    if (ending.signal.aborted) throw ending.signal.reason;
    isEstablished = true;
    // Kept by what listens as long as the connection lives, it would be held with its whole stack.
    refusal = undefined;
    return { attempt, wire, elicitor, ...greeting };
  } catch (cause) {
    const error = toHandshakeError(context, cause, { transport, step });
    const didInitialize = step === "initialize";
    const failed = { ...attempt, error, refusal, didInitialize, hadStream: transport?.hasStream === true };
    // Told before what there is of it is cleaned up.
    if (deadline.signal.aborted) hooks.run("onFailed", toConnectError(failed, [...before, failed]));
    await (wire === undefined ? transport?.close() : wire.close(error, "the handshake failed"));
    return failed;
  }
}

// How long the probe is out alone. On a pipe it waits for the program's start. Over HTTP the answer
// may wait for a cold function or a token. The probe gets at least a quarter of the time there, and
// as long again after a sign of life, so that a third is left for `initialize`.
function aloneMs({ hasPerRequestStream }: Wire, { settings, deadline }: HandshakeContext): number {
  const { probeMs } = settings.timeouts;
  const remainingMs = deadline.remainingMs();
  return hasPerRequestStream ? Math.min(Math.max(probeMs, remainingMs / 4), remainingMs / 3) : probeMs;
}

function toHandshakeError(
  context: HandshakeContext,
  cause: unknown,
  { transport, step }: { readonly transport: Transport | undefined; readonly step: HandshakeStep },
): HostsideError {
  // Why the transport closed tells more than that it did.
  const closeReason = context.deadline.signal.aborted ? undefined : transport?.closeReason;
  const error = closeReason ?? asHostsideError(context, cause);
  const operation = transport === undefined ? "connect" : step;
  const stderrTail = error.details.stderrTail === undefined ? transport?.stderr : undefined;
  const strayLine = error.details.excerpt === undefined ? transport?.strayLine : undefined;
  const where = error.code === "connect_timeout" ? ` (during ${operation})` : "";
  return new HostsideError(`${error.rawMessage}${where}${quoteEvidence({ stderrTail, strayLine })}`, {
    code: error.code === "protocol_error" ? "handshake_failed" : error.code,
    serverId: context.serverId,
    // Whatever became of the handshake, no call was sent. What said that it does not know is as
    // retryable as its code.
    retryable: error.outcome === "unknown" ? undefined : error.retryable,
    outcome: "not-sent",
    details: {
      ...error.details,
      operation,
      ...(stderrTail && { stderrTail }),
      ...(strayLine !== undefined && { excerpt: strayLine }),
    },
    cause: error,
  });
}

/**
 * Gives the known facts of a server, if that is enough to speak with it without a handshake: over
 * HTTP in 2026-07-28, where each request says all that it needs. On a pipe the first answer may be
 * long in coming, and there is no other way to find out who is there.
 */
export function assumable(spec: ServerSpec, known: KnownServer | undefined): KnownServer | undefined {
  if (known === undefined || spec.url === undefined || spec.mode === "sse" || spec.era === "legacy") return undefined;
  return known.server.era === "modern" && known.server.protocolVersion === modernRevision ? known : undefined;
}

/**
 * Puts a wire on a transport and takes the server for the one that it was. Nothing is sent. Throws
 * what opening the transport does.
 */
export async function assumeServer({ context, events, open }: AttemptsInit, server: ServerInfo): Promise<Established> {
  const { identity, elicitor, lasting } = context;
  const attempt: ConnectAttempt = { channel: "streamable", handshake: "modern" };
  const wire = new Wire({ transport: await open(attempt), identity, context: lasting, events, elicitor });
  await wire.start();
  wire.setProtocolVersion(server.protocolVersion);
  const { name, title, version, description } = server;
  const claimed = {
    ...server,
    implementation: { name, title, version, description },
    instructions: server.instructions,
  };
  return { attempt, wire, elicitor, claimed, isCertain: false };
}
