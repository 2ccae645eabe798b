import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { attemptHandshake, type Handshake, type HandshakeOptions } from "./handshake.ts";
import type { Answer, RawSession, SendRequest } from "./raw-session.ts";

/**
 * A session after its handshake, on which requests go out as a good host of that era would send
 * them.
 */
export interface ReadySession {
  readonly session: RawSession;
  readonly handshake: Handshake;
  /** Sends a request with the `_meta` that every request of the modern era carries. */
  readonly request: (method: string, params?: JsonObject, options?: SendRequest) => Promise<Answer>;
  /**
   * A request that every server of the era answers, or the one that this server answers in its
   * place.
   */
  readonly probe: (options?: SendRequest) => Promise<Answer>;
  /** The method of {@linkcode probe}. */
  readonly probeMethod: () => string;
  /** Parameters with the era's `_meta`. */
  readonly envelop: (params?: JsonObject) => JsonObject;
}

/** The request that a server answers in place of its era's own probe, once that is known. */
export interface Substitute {
  method?: string;
}

/**
 * The request that every server of the era answers: `ping`, or `server/discover` from 2026-07-28
 * on.
 */
export function eraProbe({ era }: Handshake): string {
  return era === "legacy" ? "ping" : "server/discover";
}

/** Wraps a session after a handshake. */
export function readySession(session: RawSession, handshake: Handshake, substitute: Substitute = {}): ReadySession {
  const probeMethod = (): string => substitute.method ?? eraProbe(handshake);
  const envelop = (params: JsonObject = {}): JsonObject => {
    if (handshake.envelope === undefined) return params;
    const own = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    return { ...params, _meta: { ...handshake.envelope, ...own } };
  };
  const request: ReadySession["request"] = (method, params, options) =>
    session.request(method, envelop(params), options);
  return {
    session,
    handshake,
    envelop,
    request,
    probeMethod,
    probe: (options) => request(probeMethod(), {}, options),
  };
}

/** Makes a session ready by a handshake. Throws an error that says what came instead of an answer. */
export async function shakeHands(
  session: RawSession,
  options: HandshakeOptions,
  substitute?: Substitute,
): Promise<ReadySession> {
  const attempt = await attemptHandshake(session, options);
  if (!attempt.ok) throw new Error(attempt.reason);
  return readySession(session, attempt.handshake, substitute);
}

/**
 * What is left of a session whose process ended right after it had answered; it is asked once more.
 * One without a process is not asked.
 */
export async function endAfter({
  probe,
  session,
}: ReadySession): Promise<Extract<Answer, { kind: "gone" }> | undefined> {
  if (!("pid" in session)) return undefined;
  const answer = await probe();
  return answer.kind === "gone" ? answer : undefined;
}
