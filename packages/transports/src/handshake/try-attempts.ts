import { HostsideError, type Diagnostic } from "@hostside/core";
import { withErrorContext, type Deadline } from "@hostside/core/implement";
import type { EraCache, EraVerdict } from "./era-cache.ts";
import { makeAttempt, type AttemptInit, type Established } from "./make-attempt.ts";
import type { ConnectAttempt, FailedAttempt } from "./attempt.ts";
import { bareAttempt, firstAttempt, mostTellingError, nextAttempt } from "./next-attempt.ts";

/** What {@linkcode tryAttempts} needs besides what each attempt does. */
export interface AttemptsInit extends Omit<AttemptInit, "onOverdue"> {
  /** Under which the cache knows this server; absent when nothing is remembered of it. */
  readonly specHash: string | undefined;
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
  const { context, specHash } = init;
  const { spec, eraCache, deadline } = context;
  const failed: FailedAttempt[] = [];
  const bare = Object.keys(context.identity.capabilities).length === 0 ? () => undefined : bareAttempt;
  const verdict = specHash === undefined ? undefined : askCache(spec.id, () => recall(eraCache, specHash));
  for (let attempt = firstAttempt(spec, verdict); ;) {
    const onOverdue = (last: FailedAttempt): void => init.onFailed(toConnectError([...failed, last], deadline));
    const result = await makeAttempt({ ...init, onOverdue }, attempt);
    if ("wire" in result) {
      try {
        askCache(spec.id, () => remember(init, result, failed));
      } catch (error) {
        await result.wire.close(error as HostsideError, "the connection was not wanted any more");
        throw error;
      }
      return result;
    }
    failed.push(result);
    if (specHash !== undefined) askCache(spec.id, () => eraCache.delete(specHash));
    const next = deadline.signal.aborted ? undefined : (nextAttempt(spec, failed) ?? bare(failed));
    if (next === undefined) throw toConnectError(failed, deadline);
    context.onDiagnostic(toFallback(spec.id, result, next));
    attempt = next;
  }
}

// It is the host's own, and may be on a disk. Throws nothing but a HostsideError.
function askCache<T>(serverId: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    throw new HostsideError("the era cache failed", { code: "internal_error", serverId, cause });
  }
}

// Servers are updated; what was legacy yesterday may know 2026-07-28 today.
const longestTrustMs = 24 * 60 * 60 * 1000;

function recall(eraCache: EraCache, specHash: string): EraVerdict | undefined {
  const verdict = eraCache.get(specHash);
  return verdict === undefined || Date.now() - verdict.foundAt > longestTrustMs ? undefined : verdict;
}

function remember(
  { context, specHash }: AttemptsInit,
  { attempt, claimed, isCertain }: Established,
  failed: readonly FailedAttempt[],
): void {
  if (specHash === undefined) return;
  // Silence may be a slow start, and a failure a bad moment; neither says anything about the
  // server's next start.
  if (!isCertain || failed.some(({ refusal }) => refusal?.code === "request_timeout")) return;
  const { channel } = attempt;
  context.eraCache.set(specHash, {
    era: claimed.era,
    ...((channel === "streamable" || channel === "sse") && { channel }),
    foundAt: Date.now(),
  });
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
