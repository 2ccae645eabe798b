import {
  cleanText,
  type CallContext,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
} from "@hostside/core";
import { cleanSchema, createDeadline, isJsonObject, untilAborted } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";

/**
 * Asks a human on a server's behalf: the same way for a legacy server's request and for a round of
 * 2026-07-28.
 */
export interface Elicitor {
  /**
   * Resolves with the wire result. A human who does not answer in time, and a handler that fails,
   * count as `cancel`; so does a question too many, which reaches nobody. Never rejects.
   */
  ask(params: JsonObject, question: QuestionContext): Promise<JsonObject>;
}

/** What a question belongs to. */
export interface QuestionContext {
  /** Aborts when nobody needs the answer any more. */
  readonly signal: AbortSignal;
  /** Of the call that it belongs to; absent when it came out of the blue. */
  readonly tally?: QuestionTally | undefined;
  /** The host's own, of the call that it belongs to; absent where that is not known. */
  readonly callContext?: CallContext | undefined;
  /** For the human to answer, in milliseconds, where there is less time than usual. */
  readonly withinMs?: number;
}

/** Counts the questions of one call. */
export interface QuestionTally {
  asked: number;
}

/** What an {@linkcode Elicitor} is made from. */
export interface ElicitorInit {
  readonly context: ServerContext;
  readonly onElicit: (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;
  /**
   * Stops the deadlines of those who are asked until the returned function is called: of the
   * conversation of this context, or of nobody in particular.
   */
  readonly pause: (callContext: CallContext | undefined) => () => void;
}

const longestMessage = 8192;

const minuteMs = 60_000;

/** Makes an elicitor. */
export function createElicitor(init: ElicitorInit): Elicitor {
  const isTooMany = createQuota(init.context);
  return {
    async ask(params, question) {
      if (question.signal.aborted || isTooMany(question)) return { action: "cancel" };
      return ask(init, params, question);
    },
  };
}

// A flood is told once a minute, never once per question.
function createQuota({
  serverId,
  settings,
  onDiagnostic,
  clock,
}: ServerContext): (question: QuestionContext) => boolean {
  const { maxElicitationsPerCall, maxElicitationsPerMinute } = settings.limits;
  let minuteStart = clock.now();
  let asked = 0;
  let wasReported = false;
  const refuse = (what: string): true => {
    const message = `server ${JSON.stringify(serverId)} asked ${what}; what is more is cancelled, and nobody is asked`;
    if (!wasReported) onDiagnostic({ kind: "elicitation-refused", serverId, message });
    wasReported = true;
    return true;
  };
  return ({ tally }) => {
    const now = clock.now();
    if (now - minuteStart >= minuteMs) {
      minuteStart = now;
      asked = 0;
      wasReported = false;
    }
    if (tally !== undefined && tally.asked >= maxElicitationsPerCall)
      return refuse(`more than ${maxElicitationsPerCall} questions during one call`);
    if (asked >= maxElicitationsPerMinute) return refuse(`more than ${maxElicitationsPerMinute} questions in a minute`);
    asked += 1;
    if (tally !== undefined) tally.asked += 1;
    return false;
  };
}

async function ask(
  init: ElicitorInit,
  params: JsonObject,
  { signal, callContext, withinMs = Infinity }: QuestionContext,
): Promise<JsonObject> {
  const { context, onElicit, pause } = init;
  const { serverId, settings, onDiagnostic, clock } = context;
  const timeoutMs = Math.min(settings.timeouts.elicitMs, withinMs);
  const { mode, message } = params;
  const request: ElicitationRequest = {
    serverId,
    mode: mode === "url" ? "url" : "form",
    message: cleanText(typeof message === "string" ? message : "", longestMessage),
    params: cleanSchema(params),
    ...(callContext !== undefined && { context: callContext }),
  };
  const resume = pause(callContext);
  const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => new Error("nobody answered in time"), clock });
  try {
    return toWire(await untilAborted(onElicit(request, deadline.signal), deadline.signal), request);
  } catch (error) {
    // What went wrong in the host's handler is not the server's business, and may hold what it
    // should not see.
    const reason = error instanceof Error ? cleanText(error.message, 200) : "it threw";
    onDiagnostic({
      kind: "protocol-anomaly",
      serverId,
      message: `an elicitation of server ${JSON.stringify(serverId)} was cancelled: ${reason}`,
    });
    return { action: "cancel" };
  } finally {
    deadline.dispose();
    resume();
  }
}

function toWire({ action, content }: ElicitationResult, { mode, params }: ElicitationRequest): JsonObject {
  if (action !== "accept" || mode === "url") return { action };
  return { action, content: applyDefaults(params["requestedSchema"], isJsonObject(content) ? content : {}) };
}

/**
 * A form's answer with the schema's defaults in place of what the human left open (SEP-1034). Only
 * the form's own fields: the schemas of forms are flat by specification.
 */
function applyDefaults(requestedSchema: unknown, content: JsonObject): JsonObject {
  const properties = isJsonObject(requestedSchema) ? requestedSchema["properties"] : undefined;
  if (!isJsonObject(properties)) return content;
  const missing = Object.entries(properties).filter(
    ([name, field]) => isJsonObject(field) && field["default"] !== undefined && !Object.hasOwn(content, name),
  );
  const defaults = missing.map(([name, field]) => [name, isJsonObject(field) ? field["default"] : undefined]);
  // fromEntries defines properties, so that a field called "__proto__" is a field like any other.
  return { ...Object.fromEntries(defaults), ...content };
}
