import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { inSeconds } from "../engine/in-seconds.ts";
import type { Answer, RawSession } from "./raw-session.ts";

/** What a handshake brought to light. */
export interface Handshake {
  readonly era: "legacy" | "modern";
  readonly protocolVersion: string;
  /** The result of `initialize` or `server/discover`, unchanged. */
  readonly result: JsonObject;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject | undefined;
  /** `_meta` that every request of the modern era carries. */
  readonly envelope?: JsonObject;
}

/** Revisions that begin with `initialize`, newest first. */
export const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The stateless revision. */
export const modernRevision = "2026-07-28";

/**
 * What the kit calls itself in a handshake. The version is fixed, so that a run can be repeated
 * byte for byte.
 */
export const kitInfo = { name: "hostside-conformance", version: "1.0.0" } as const;

/** Options of {@linkcode attemptHandshake}. */
export interface HandshakeOptions {
  readonly answerMs: number;
  /**
   * How long the first answer may take, in milliseconds: the server may have to start first.
   * Default: three times `answerMs`.
   */
  readonly startMs?: number;
  /**
   * Offer this revision alone. Default: the newest legacy one, and the modern one when the server
   * refuses it.
   */
  readonly revision?: string;
}

/** A handshake, or the answer that came instead of one. */
export type HandshakeAttempt =
  | { readonly ok: true; readonly handshake: Handshake }
  | { readonly ok: false; readonly answer: Answer; readonly reason: string };

/**
 * Makes a session ready: `initialize` and `notifications/initialized`, or `server/discover` where
 * the server speaks only the modern era.
 */
export async function attemptHandshake(session: RawSession, options: HandshakeOptions): Promise<HandshakeAttempt> {
  const { revision = legacyRevisions[0] } = options;
  if (revision === modernRevision) return discover(session, options);
  const answer = await initialize(session, revision, options);
  if (answer.kind === "result" && isJsonObject(answer.result)) {
    await session.notify("notifications/initialized");
    const { protocolVersion, serverInfo } = answer.result;
    const version = typeof protocolVersion === "string" ? protocolVersion : revision;
    return { ok: true, handshake: toHandshake(answer.result, version, serverInfo) };
  }
  // A server of the modern era alone answers with an error; over HTTP it may come as a 400 with
  // another body.
  if (options.revision === undefined && answer.kind !== "silence" && answer.kind !== "gone") {
    const modern = await discover(session, options);
    if (modern.ok) return modern;
  }
  return { ok: false, answer, reason: `initialize (${revision}): ${describeAnswer(answer)}` };
}

/** Sends `initialize` for a revision, as a host without capabilities. */
export function initialize(
  session: RawSession,
  revision: string,
  { answerMs, startMs = answerMs * 3 }: HandshakeOptions,
): Promise<Answer> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: kitInfo };
  return session.request("initialize", params, { timeoutMs: startMs });
}

/** The `_meta` of a request in the modern era. */
export function envelopeFor(revision: string): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": kitInfo,
  };
}

/** What an answer is, for people. */
export function describeAnswer(answer: Answer): string {
  switch (answer.kind) {
    case "result":
      return `a result: ${excerpt(answer.result)}`;
    case "error":
      return `error ${excerpt(answer.code)}: ${excerpt(answer.text)}`;
    case "silence":
      return answer.instead ?? `no answer within ${inSeconds(answer.afterMs)}`;
    case "gone":
      return answer.reason;
    case "http":
      return `HTTP ${answer.status} (${answer.contentType ?? "no content type"}): ${answer.instead ?? (answer.excerpt || "empty body")}`;
  }
}

async function discover(
  session: RawSession,
  { answerMs, startMs = answerMs * 3 }: HandshakeOptions,
): Promise<HandshakeAttempt> {
  const envelope = envelopeFor(modernRevision);
  const answer = await session.request("server/discover", { _meta: envelope }, { timeoutMs: startMs });
  if (answer.kind !== "result" || !isJsonObject(answer.result))
    return { ok: false, answer, reason: `server/discover: ${describeAnswer(answer)}` };
  const { result } = answer;
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  const made = toHandshake(result, modernRevision, meta["io.modelcontextprotocol/serverInfo"]);
  return { ok: true, handshake: { ...made, era: "modern", envelope } };
}

/** A value as JSON, cut to what a line of a report can hold. */
export function excerpt(value: JsonValue | undefined): string {
  return truncateText(JSON.stringify(value) ?? "nothing", 160);
}

function toHandshake(result: JsonObject, protocolVersion: string, serverInfo: JsonValue | undefined): Handshake {
  const { capabilities } = result;
  return {
    era: "legacy",
    protocolVersion,
    result,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: isJsonObject(serverInfo) ? serverInfo : undefined,
  };
}
