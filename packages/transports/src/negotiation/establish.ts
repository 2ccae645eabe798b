import type { Client } from "@modelcontextprotocol/client";
import { isToolportError, ToolportError, type Deadline } from "@toolport/core";
import type { ClientIdentity } from "../client-identity.ts";
import type { Elicitor } from "../connection/elicitor.ts";
import { fromSdkError } from "../errors/from-sdk-error.ts";
import type { HostTransport } from "../host-transport.ts";
import { safeExcerpt } from "../safe-excerpt.ts";
import { untilAborted } from "../until-aborted.ts";
import type { ActiveClock } from "../wire/active-clock.ts";
import type { WireContext } from "../wire/wire-context.ts";
import { createWire, type Wire, type WireEvents } from "../wire/wire.ts";
import type { Attempt, FailedAttempt } from "./next-attempt.ts";
import { openSdkClient } from "./sdk-client.ts";

/** A transport with a wire on it, and an SDK client that finished its handshake. */
export interface Established {
  readonly attempt: Attempt;
  readonly wire: Wire;
  readonly client: Client;
}

/** What an attempt needs; the same for all attempts of one connection. */
export interface EstablishInit {
  readonly identity: ClientIdentity;
  readonly context: WireContext;
  /** From the start of the attempt that succeeds; `onDown` only once it did. */
  readonly events: WireEvents;
  readonly maxNotificationsPerSecond: number;
  readonly probeMs: number;
  /** For all attempts together. */
  readonly deadline: Deadline;
  readonly open: (attempt: Attempt) => Promise<HostTransport>;
  /** Makes what answers a legacy server's elicitations; absent when nobody does. */
  readonly createElicitor: ((activeClock: ActiveClock) => Elicitor) | undefined;
}

// The SDK has a deadline of its own. It must not come first, because it knows less about what it cut off.
const sdkGraceMs = 1000;

/**
 * Makes one attempt. A failure is a value, because the next attempt is chosen by it; nothing of the attempt is left by then.
 */
export async function establish(init: EstablishInit, attempt: Attempt): Promise<Established | FailedAttempt> {
  const { deadline, events, context, identity, maxNotificationsPerSecond, probeMs, createElicitor } = init;
  const ending = new AbortController();
  let isEstablished = false;
  let host: HostTransport | undefined;
  let wire: Wire | undefined;
  try {
    deadline.signal.throwIfAborted();
    host = await init.open(attempt);
    wire = createWire({
      host,
      identity,
      maxNotificationsPerSecond,
      context,
      events: { ...events, onDown: (error) => (isEstablished ? events.onDown(error) : ending.abort(error)) },
    });
    const opening = openSdkClient({
      transport: wire.sdkTransport,
      identity,
      handshake: attempt.handshake,
      probeMs,
      timeoutMs: deadline.remainingMs() + sdkGraceMs,
      elicitor: createElicitor?.(wire.activeClock),
      onError: (error) => reportOddity(context, error),
    });
    const client = await untilAborted(opening, AbortSignal.any([deadline.signal, ending.signal]));
    isEstablished = true;
    return { attempt, wire, client };
  } catch (cause) {
    // A server that is gone before the first message was sent failed at that message all the same.
    const isLegacy = attempt.handshake === "legacy" || wire?.didInitialize === true;
    const method = isLegacy ? "initialize" : "server/discover";
    const error = toHandshakeError(init, cause, { host, method });
    await (wire === undefined ? host?.close() : wire.close(error, "the handshake failed"));
    return { ...attempt, error, didInitialize: wire?.didInitialize ?? false };
  }
}

function toHandshakeError(
  { context }: EstablishInit,
  cause: unknown,
  { host, method }: { host: HostTransport | undefined; method: string },
): ToolportError {
  const { serverId, redact } = context;
  const error = isToolportError(cause)
    ? cause
    : (host?.closeReason ?? fromSdkError(cause, { serverId, method, redact }));
  const operation = host === undefined ? "connect" : method;
  const stderrTail = error.details.stderrTail === undefined ? host?.stderr : undefined;
  const where = error.code === "connect_timeout" ? ` (during ${operation})` : "";
  const evidence = stderrTail ? `; the end of its stderr:\n${stderrTail}` : "";
  return new ToolportError(`${error.rawMessage}${where}${evidence}`, {
    code: error.code,
    serverId,
    retryable: error.retryable,
    // Whatever became of the handshake, no call was sent.
    outcome: "not-sent",
    details: { ...error.details, operation, ...(stderrTail && { stderrTail }) },
    cause: error,
  });
}

// The SDK goes on after these, and so do we.
function reportOddity({ serverId, redact, onDiagnostic }: WireContext, error: Error): void {
  onDiagnostic({ kind: "protocol-noise", serverId, message: safeExcerpt(error.message, redact, 300) });
}
