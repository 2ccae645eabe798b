import { HostsideError, type Diagnostic } from "@hostside/core";
import { withErrorContext, type Deadline } from "@hostside/core/implement";
import { makeAttempt, type AttemptInit, type Established } from "./make-attempt.ts";
import {
  bareAttempt,
  firstAttempt,
  mostTellingError,
  nextAttempt,
  type ConnectAttempt,
  type FailedAttempt,
} from "./next-attempt.ts";

/** What {@linkcode tryAttempts} needs besides what each attempt does. */
export interface AttemptsInit extends Omit<AttemptInit, "onOverdue"> {
  /**
   * Told why the connection failed when the time is up, before what there is of it is cleaned up.
   */
  readonly onFailed: (error: HostsideError) => void;
}

/**
 * Finds a way to speak with the server, attempt by attempt, and remembers which one it was. Throws
 * the most telling failure, with all of them behind it; nothing is left then.
 */
export async function tryAttempts(init: AttemptsInit): Promise<Established> {
  const { context } = init;
  const { spec, eraCache, deadline } = context;
  const failed: FailedAttempt[] = [];
  const bare = Object.keys(context.identity.capabilities).length === 0 ? () => undefined : bareAttempt;
  for (let attempt = firstAttempt(spec, eraCache.recall(spec)); ;) {
    const onOverdue = (last: FailedAttempt): void => init.onFailed(toConnectError([...failed, last], deadline));
    const result = await makeAttempt({ ...init, onOverdue }, attempt);
    if ("wire" in result) {
      remember(init, result, failed);
      return result;
    }
    failed.push(result);
    eraCache.forget(spec);
    const next = deadline.signal.aborted ? undefined : (nextAttempt(spec, failed) ?? bare(failed));
    if (next === undefined) throw toConnectError(failed, deadline);
    context.onDiagnostic(toFallback(spec.id, result, next));
    attempt = next;
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

function toFallback(serverId: string, { channel, handshake, error }: FailedAttempt, next: ConnectAttempt): Diagnostic {
  const from = `${channel} (${handshake})`;
  const to = `${next.channel} (${next.handshake}${next.isBare === true ? ", without elicitation" : ""})`;
  return {
    kind: "fallback",
    serverId,
    message: `server ${JSON.stringify(serverId)}: ${from} failed with ${error.code}; trying ${to}`,
  };
}

function toConnectError(failed: readonly FailedAttempt[], deadline: Deadline): HostsideError {
  const error = mostTellingError(failed);
  if (error === undefined) {
    return new HostsideError("no attempt was made", { code: "internal_error", cause: deadline.signal.reason });
  }
  const causes = failed.flatMap((attempt) => [...(attempt.refusal ? [attempt.refusal] : []), attempt.error]);
  if (causes.length < 2) return error;
  return withErrorContext(error, { cause: new AggregateError(causes, `${causes.length} ways to begin failed`) });
}
