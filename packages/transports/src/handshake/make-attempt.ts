import { HostsideError, isHostsideError, type ServerSpec } from "@hostside/core";
import { untilAborted, type Deadline } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import type { EraCache } from "./era-cache.ts";
import type { ConnectAttempt, FailedAttempt } from "./next-attempt.ts";
import { shakeHands, type Greeting, type HandshakeStep } from "./shake-hands.ts";
import type { MetaSource } from "../message/outgoing-request.ts";
import type { ClientIdentity } from "../message/revisions.ts";
import type { Transport } from "../message/transport.ts";
import { fromSdkError } from "../sdk/from-sdk-error.ts";
import { quoteEvidence } from "../text/safe-excerpt.ts";
import { createActiveClock, type ActiveClocks } from "../time/active-clock.ts";
import { eitherSignal } from "../time/cancellable-wait.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { Wire, type WireEvents } from "../wire/wire.ts";

/** A transport with a wire on it, on which the handshake is done. */
export interface Established extends Greeting {
  readonly attempt: ConnectAttempt;
  readonly wire: Wire;
  /** Answers the server's questions, of either era; absent when nobody does. */
  readonly elicitor: Elicitor | undefined;
}

/** What an attempt needs; the same for all attempts of one connection. */
export interface AttemptInit {
  readonly context: HandshakeContext;
  /** Of every attempt; `onDown` only of the one that succeeded. */
  readonly events: WireEvents;
  readonly open: (attempt: ConnectAttempt) => Promise<Transport>;
  /** Told of a failure when the time for all attempts is up, before it is cleaned up. */
  readonly onOverdue: (failed: FailedAttempt) => void;
}

// The deadline of all attempts must come before that of a request, which knows less about what it
// cuts off.
const graceMs = 1000;

/**
 * Makes one attempt. A failure is a value, because the next attempt is chosen by it; nothing of the
 * attempt is left by then.
 */
export async function makeAttempt(init: AttemptInit, attempt: ConnectAttempt): Promise<Established | FailedAttempt> {
  const { context, events } = init;
  const { deadline, opening } = context;
  const isBare = attempt.isBare === true;
  const identity = isBare ? { ...context.identity, capabilities: {} } : context.identity;
  const createElicitor = isBare ? undefined : context.createElicitor;
  const ending = new AbortController();
  let isEstablished = false;
  let refusal: HostsideError | undefined;
  let step: HandshakeStep = attempt.handshake === "legacy" ? "initialize" : "server/discover";
  let transport: Transport | undefined;
  let wire: Wire | undefined;
  try {
    deadline.signal.throwIfAborted();
    transport = await init.open(attempt);
    // It may be over before there was anybody to tell.
    if (transport.closeReason !== undefined) throw transport.closeReason;
    const activeClock = createActiveClock();
    const elicitor = createElicitor?.(activeClock);
    wire = new Wire({
      transport,
      identity,
      context: context.lasting,
      events: { ...events, onDown: (error) => (isEstablished ? events.onDown(error) : ending.abort(error)) },
      activeClock,
      elicitor,
      opening,
    });
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
    const failed = {
      ...attempt,
      error,
      refusal,
      didInitialize: step === "initialize",
      hadStream: transport?.hasStream === true,
    };
    if (deadline.signal.aborted) init.onOverdue(failed);
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
  { serverId, redact, deadline }: HandshakeContext,
  cause: unknown,
  { transport, step }: { readonly transport: Transport | undefined; readonly step: HandshakeStep },
): HostsideError {
  // Why the transport closed tells more than that it did. What is not ours was thrown by a
  // transport that somebody brought.
  const closeReason = deadline.signal.aborted ? undefined : transport?.closeReason;
  const error =
    closeReason ?? (isHostsideError(cause) ? cause : fromSdkError(cause, { serverId, method: step, redact }));
  const operation = transport === undefined ? "connect" : step;
  const stderrTail = error.details.stderrTail === undefined ? transport?.stderr : undefined;
  const strayLine = error.details.excerpt === undefined ? transport?.strayLine : undefined;
  const where = error.code === "connect_timeout" ? ` (during ${operation})` : "";
  return new HostsideError(`${error.rawMessage}${where}${quoteEvidence({ stderrTail, strayLine })}`, {
    code: error.code === "protocol_error" ? "handshake_failed" : error.code,
    serverId,
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

/** What all attempts of one connection share. */
export interface HandshakeContext extends ServerContext {
  readonly spec: ServerSpec;
  /** What is kept when the opening is over. */
  readonly lasting: ServerContext;
  readonly identity: ClientIdentity;
  readonly eraCache: EraCache;
  /**
   * What goes along in `_meta` of the requests that the connection begins with; absent when nothing
   * does.
   */
  readonly opening: MetaSource | undefined;
  /** For all attempts together. Whoever made the context disposes of it. */
  readonly deadline: Deadline;
  /**
   * Makes what answers a server's elicitations; absent when nobody does, and then they are not
   * advertised.
   */
  readonly createElicitor: ((activeClock: ActiveClocks) => Elicitor) | undefined;
}
