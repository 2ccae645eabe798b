import {
  cleanText,
  type CallContext,
  type Cancel,
  type ElicitationRequest,
  type ElicitationResult,
  type JsonObject,
} from "@hostside/core";
import {
  clock,
  cleanSchema,
  createDeadline,
  fairnessKeyOf,
  isJsonObject,
  sameJson,
  untilAborted,
} from "@hostside/core/implement";
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
function createQuota({ serverId, settings, onDiagnostic }: ServerContext): (question: QuestionContext) => boolean {
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
  const { serverId, settings, onDiagnostic } = context;
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
  const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => new Error("nobody answered in time") });
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

/** A request under way, as far as questions of its server go. */
export interface ElicitingRequest {
  readonly request: { readonly method: string; readonly callContext?: CallContext | undefined };
  /** There once something was asked during the request. */
  tally?: QuestionTally;
  /** To run when the request is over. */
  whenOver?: Set<() => void>;
}

/** What a question of the server's belongs to. */
export interface ElicitationOrigin {
  /**
   * Counts the questions of the request that asked least so far, because a server does not say
   * which it is. Absent without a request.
   */
  readonly tally: QuestionTally | undefined;
  /** The context of the request, or what those that it may be have in common. */
  readonly callContext: CallContext | undefined;
  /** It is not known which of several conversations the question is meant for. */
  readonly isAnybodys: boolean;
  /**
   * Runs `task` when the last of the requests is over, unless the returned function is called
   * before; never without a request.
   */
  whenOver(task: () => void): Cancel;
}

/**
 * The occasion that these requests are, of which the question belongs to one. `isShared`: where
 * there is none, there were requests of several conversations before.
 */
export function createElicitationOrigin(
  requests: readonly ElicitingRequest[],
  isShared: boolean = false,
): ElicitationOrigin {
  const tallies = requests.map((request) => (request.tally ??= { asked: 0 }));
  const [first] = tallies;
  const asking = requests.filter(({ request }) => isSomebodys(request));
  const contexts = asking.map(({ request }) => request.callContext);
  const fairnessKeys = new Set(contexts.map(fairnessKeyOf));
  return {
    tally: first && tallies.reduce((least, each) => (each.asked < least.asked ? each : least), first),
    callContext: fairnessKeys.size === 1 ? commonOf(contexts) : undefined,
    isAnybodys: asking.length === 0 ? isShared : fairnessKeys.size > 1,
    whenOver(task) {
      let left = requests.length;
      const onOver = (): void => {
        left -= 1;
        if (left === 0) task();
      };
      for (const request of requests) (request.whenOver ??= new Set()).add(onOver);
      return () => {
        for (const { whenOver } of requests) whenOver?.delete(onOver);
      };
    },
  };
}

/**
 * Whether a request is made for somebody: a listing or a ping without a context is the host's own,
 * and no occasion to ask a person.
 */
export function isSomebodys({ method, callContext }: ElicitingRequest["request"]): boolean {
  return callContext !== undefined || !(method.endsWith("/list") || hostsOwn.has(method));
}

const hostsOwn: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover"]);

// Of one caller, which has one principal and one conversation; what else its requests differ in
// belongs to one of them alone.
function commonOf([first, ...others]: readonly (CallContext | undefined)[]): CallContext | undefined {
  if (first === undefined || others.every((other) => sameJson(first, other))) return first;
  const { principal, conversation } = first;
  return { ...(principal !== undefined && { principal }), ...(conversation !== undefined && { conversation }) };
}
