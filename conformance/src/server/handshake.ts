import { isJsonObject, type JsonObject } from "@toolport/core";
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

/** What the kit calls itself. */
export const kitInfo = { name: "toolport-conformance", version: "0.0.0" } as const;

/** Options of {@linkcode handshake}. */
export interface HandshakeOptions {
  readonly answerMs: number;
  /** Offer this revision alone. Default: the newest legacy one, and the modern one when the server refuses it. */
  readonly revision?: string;
}

/**
 * Makes a session ready: `initialize` and `notifications/initialized`, or `server/discover` where the server speaks only the modern
 * era. Throws an error that says what came instead of an answer.
 */
export async function handshake(session: RawSession, options: HandshakeOptions): Promise<Handshake> {
  const { revision = legacyRevisions[0] } = options;
  if (revision === modernRevision) return discover(session, options);
  const answer = await initialize(session, revision, options);
  if (answer.kind === "result" && isJsonObject(answer.result)) {
    await session.notify("notifications/initialized");
    return fromInitialize(answer.result, revision);
  }
  // -32022 is the modern era's "unsupported protocol version"; over HTTP it may come as a 400 with another body.
  if (options.revision === undefined && answer.kind !== "silence" && answer.kind !== "gone") {
    const modern = await discover(session, options).catch(() => undefined);
    if (modern !== undefined) return modern;
  }
  throw new Error(`initialize (${revision}): ${describeAnswer(answer)}`);
}

/** Sends `initialize` for a revision, as a host without capabilities. */
export function initialize(session: RawSession, revision: string, { answerMs }: HandshakeOptions): Promise<Answer> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: kitInfo };
  return session.request("initialize", params, { timeoutMs: answerMs * 3 });
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
      return `a result: ${JSON.stringify(answer.result)}`;
    case "error":
      return `error ${JSON.stringify(answer.code)}: ${JSON.stringify(answer.text)}`;
    case "silence":
      return `no answer within ${answer.afterMs} ms`;
    case "gone":
      return answer.reason;
    case "http":
      return `HTTP ${answer.status} (${answer.contentType ?? "no content type"}): ${answer.excerpt || "empty body"}`;
  }
}

async function discover(session: RawSession, { answerMs }: HandshakeOptions): Promise<Handshake> {
  const envelope = envelopeFor(modernRevision);
  const answer = await session.request("server/discover", { _meta: envelope }, { timeoutMs: answerMs * 3 });
  if (answer.kind !== "result" || !isJsonObject(answer.result))
    throw new Error(`server/discover: ${describeAnswer(answer)}`);
  const { result } = answer;
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  const serverInfo = meta["io.modelcontextprotocol/serverInfo"];
  return {
    era: "modern",
    protocolVersion: modernRevision,
    result,
    capabilities: isJsonObject(result["capabilities"]) ? result["capabilities"] : {},
    serverInfo: isJsonObject(serverInfo) ? serverInfo : undefined,
    envelope,
  };
}

function fromInitialize(result: JsonObject, offered: string): Handshake {
  const { protocolVersion, capabilities, serverInfo } = result;
  return {
    era: "legacy",
    protocolVersion: typeof protocolVersion === "string" ? protocolVersion : offered,
    result,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: isJsonObject(serverInfo) ? serverInfo : undefined,
  };
}
