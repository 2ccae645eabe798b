import {
  cleanText,
  type CallContext,
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
  type ConnectionHooks,
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

/** The call that a question belongs to, and its limits. */
export interface QuestionContext {
  /** Aborts when nobody needs the answer any more. */
  readonly signal: AbortSignal;
  /** The tally of the call that it belongs to; absent when it came out of the blue. */
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

/** Answers the questions of a host's servers, with a person's help. */
export type OnElicit = NonNullable<ConnectionHooks["onElicit"]>;

const longestMessage = 8192;

const minuteMs = 60_000;

/** Makes an elicitor. The deadlines of the caller who is asked stand still meanwhile. */
export function createElicitor(context: ServerContext, onElicit: OnElicit): Elicitor {
  const isTooMany = createQuota(context);
  const { serverId, settings, onDiagnostic, pauses } = context;
  return {
    async ask(params, question) {
      const { signal, callContext, withinMs = Infinity } = question;
      if (signal.aborted || isTooMany(question)) return { action: "cancel" };
      const timeoutMs = Math.min(settings.timeouts.elicitMs, withinMs);
      const { mode, message } = params;
      const request: ElicitationRequest = {
        serverId,
        mode: mode === "url" ? "url" : "form",
        message: cleanText(typeof message === "string" ? message : "", longestMessage),
        params: cleanSchema(params),
        ...(callContext !== undefined && { context: callContext }),
      };
      const resume = pauses.begin(callContext);
      const onTimeout = (): Error => new Error("nobody answered in time");
      const deadline = createDeadline({ timeoutMs, signal, onTimeout });
      try {
        return toWire(await untilAborted(onElicit(request, deadline.signal), deadline.signal), request);
      } catch (error) {
        // What went wrong in the host's handler is not the server's business, and may hold what it
        // should not see.
        const reason = error instanceof Error ? cleanText(error.message, 200) : "it threw";
        const text = `an elicitation of server ${JSON.stringify(serverId)} was cancelled: ${reason}`;
        onDiagnostic({ kind: "protocol-anomaly", serverId, message: text });
        return { action: "cancel" };
      } finally {
        deadline.dispose();
        resume();
      }
    },
  };
}

// A flood is told once a minute, never once per question.
function createQuota(context: ServerContext): (question: QuestionContext) => boolean {
  const { serverId, settings, onDiagnostic } = context;
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

/** The requests that a question may belong to. */
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
   * Runs `work` with a signal that aborts when the last of the requests is over; never without a
   * request. Nothing is left of it afterwards.
   */
  readonly untilOver: <T>(work: (over: AbortSignal) => Promise<T>) => Promise<T>;
}

/**
 * Finds what a question belongs to that came while these requests waited. `isShared`: where there
 * is none, there were requests of several conversations before.
 */
export function createElicitationOrigin(requests: readonly ElicitingRequest[], isShared: boolean): ElicitationOrigin {
  const tallies = requests.map((request) => (request.tally ??= { asked: 0 }));
  const [tally] = tallies.toSorted((a, b) => a.asked - b.asked);
  const contexts = requests.filter(({ request }) => isSomebodys(request)).map(({ request }) => request.callContext);
  const fairnessKeys = new Set(contexts.map(fairnessKeyOf));
  return {
    tally,
    callContext: fairnessKeys.size === 1 ? commonOf(contexts) : undefined,
    isAnybodys: contexts.length === 0 ? isShared : fairnessKeys.size > 1,
    async untilOver(work) {
      const over = new AbortController();
      let left = requests.length;
      const onOver = (): void => {
        left -= 1;
        if (left === 0) over.abort(new Error("what it was asked for is over"));
      };
      for (const request of requests) (request.whenOver ??= new Set()).add(onOver);
      try {
        return await work(over.signal);
      } finally {
        for (const request of requests) request.whenOver?.delete(onOver);
      }
    },
  };
}

/**
 * True if a request is made for somebody: a listing or a ping without a context is the host's own,
 * and no occasion to ask a person.
 */
export function isSomebodys({ method, callContext }: ElicitingRequest["request"]): boolean {
  return callContext !== undefined || !(method.endsWith("/list") || hostsOwn.has(method));
}

const hostsOwn: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover", "subscriptions/listen"]);

// Of one caller, which has one principal and one conversation; what else its requests differ in
// belongs to one of them alone.
function commonOf([first, ...others]: readonly (CallContext | undefined)[]): CallContext | undefined {
  if (first === undefined || others.every((other) => sameJson(first, other))) return first;
  const { principal, conversation } = first;
  return { ...(principal !== undefined && { principal }), ...(conversation !== undefined && { conversation }) };
}
