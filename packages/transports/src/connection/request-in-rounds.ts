import { type HostsideError, isHostsideError, type JsonObject } from "@hostside/core";
import { clock, isJsonObject, pause, withErrorContext } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { pagesOf } from "../message/from-rpc-error.ts";
import { type OutgoingRequest, type RequestChannel, requestError } from "../message/outgoing-request.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { eitherSignal } from "../time/cancellable-wait.ts";
import type { Elicitor, QuestionTally } from "../wire/elicitor.ts";

/** The input of requests that a server may answer with a question. */
export interface RoundsInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  readonly elicitor: Elicitor | undefined;
  /** Aborts when the connection is closed, with the error that says so. */
  readonly closing: AbortController;
}

const mostRounds = 10;

/** The time that is left of a request which begins now: that of all its rounds is one. */
export class TimeLeft {
  readonly #context: ServerContext;
  readonly #request: Pick<OutgoingRequest, "callContext" | "timeoutMs">;
  readonly #startedAt = clock.now();

  constructor(context: ServerContext, request: Pick<OutgoingRequest, "callContext" | "timeoutMs">) {
    this.#context = context;
    this.#request = request;
  }

  /** For the server; what questions take beyond their share is the request's own time. */
  leftMs(): number {
    const pausedMs = Math.min(this.#pausedMs(), this.#mostPausedMs);
    return this.#request.timeoutMs - (clock.now() - this.#startedAt) + pausedMs;
  }

  /** For a human. */
  askMs(): number {
    return Math.max(1, this.leftMs() + Math.max(0, this.#mostPausedMs - this.#pausedMs()));
  }

  #pausedMs(): number {
    return this.#context.pauses.msSince(this.#startedAt, this.#request.callContext);
  }

  get #mostPausedMs(): number {
    return this.#context.settings.timeouts.elicitTotalMs;
  }
}

/** A request that a server may refuse until its user has opened a page. */
export interface ConsentRequest {
  readonly request: OutgoingRequest;
  readonly time: TimeLeft;
  readonly tally: QuestionTally;
}

/**
 * Sends a request, and once more after the user has opened the pages that the server asks for
 * (-32042). If nobody can be asked, or the user does not accept, it rejects with the server's
 * error.
 */
export async function sendWithConsent(
  { channel, elicitor, closing }: RoundsInit,
  { request, time, tally }: ConsentRequest,
): Promise<JsonObject> {
  try {
    return await channel.request(request);
  } catch (error) {
    const pages = isHostsideError(error) ? pagesOf(error) : [];
    if (elicitor === undefined || pages.length === 0) throw error;
    const { signal, release } = eitherSignal(request.signal, closing.signal);
    try {
      for (const page of pages) {
        const question = { signal, tally, callContext: request.callContext, withinMs: time.askMs() };
        const { action } = await elicitor.ask(page, question);
        if (action !== "accept") throw error;
      }
    } finally {
      release();
    }
    return await channel.request({ ...request, timeoutMs: Math.max(1, time.leftMs()) });
  }
}

/**
 * Goes through the rounds in which a server of 2026-07-28 asks for input: each is a new request,
 * all under one deadline. Resolves with the first result that asks for nothing. Throws
 * `input_required` where nobody can answer, or after ten rounds.
 */
export async function continueInRounds(
  init: RoundsInit,
  asked: ConsentRequest,
  asking: JsonObject,
): Promise<JsonObject> {
  const { context, channel, closing } = init;
  const { request, time } = asked;
  const { signal, release } = eitherSignal(request.signal, closing.signal);
  let result = asking;
  try {
    for (let round = 0; round < mostRounds; round += 1) {
      const answered = await answerInputRequests(result, { ...init, ...asked, signal });
      if (answered.problem !== undefined) throw inputRequired(context, request, answered.problem);
      const params = { ...request.params, ...answered.params };
      // At least a moment: a deadline that passed between two rounds is told as what it is, by the
      // request.
      const next = channel.request({ ...request, params, timeoutMs: Math.max(1, time.leftMs()) });
      result = await next.catch((error: unknown) => {
        // The first round did reach the server, which said that it did not finish. To begin again
        // is not to go on.
        throw isHostsideError(error) && error.outcome === "not-sent"
          ? withErrorContext(error, { outcome: "failed", retryable: false })
          : error;
      });
      if (result["resultType"] !== "input_required") return result;
    }
  } finally {
    release();
  }
  throw inputRequired(context, request, `still asks for input after ${mostRounds} rounds`);
}

/**
 * A request to a server that may have a question before it answers. An answer that
 * came of answers must not be kept for a request that only looks the same, whatever its server says
 * (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching): its `ttlMs`
 * is 0.
 */
export async function requestInRounds(
  init: RoundsInit & { readonly isModern: boolean },
  request: OutgoingRequest,
): Promise<JsonObject> {
  const asking = {
    request,
    time: new TimeLeft(init.context, request),
    tally: { asked: 0 },
  };
  const result = await sendWithConsent(init, asking);
  if (!init.isModern || result["resultType"] !== "input_required") return result;
  const answer = await continueInRounds(init, asking, result);
  return Object.hasOwn(answer, "ttlMs") ? { ...answer, ttlMs: 0, cacheScope: "private" } : answer;
}

/** The server wants something that this host cannot give. */
export function inputRequired(context: ServerContext, request: OutgoingRequest, problem: string): HostsideError {
  return requestError(context, request, { what: `cannot go on: the server ${problem}`, code: "input_required" });
}

/** The parameters of the next round, or why there is none. */
type RoundAnswer =
  | { readonly params: JsonObject; readonly problem?: undefined }
  | { readonly params?: undefined; readonly problem: string };

/** The input of {@linkcode answerInputRequests}. */
const mostRequests = 16;
const pacingMs = 250;

/**
 * Answers an `input_required` result: each embedded elicitation is asked, one after another, and
 * `requestState` goes back as it came. A result with a state alone means "ask again later", and is
 * answered after a moment.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function answerInputRequests(
  result: JsonObject,
  {
    context,
    elicitor,
    request: { callContext },
    signal,
    tally,
    time,
  }: RoundsInit & ConsentRequest & { readonly signal: AbortSignal },
): Promise<RoundAnswer> {
  const { inputRequests, requestState } = result;
  const requests = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const state = typeof requestState === "string" ? { requestState } : undefined;
  if (requests.length === 0) {
    if (state === undefined) return { problem: "asks for input without saying which" };
    await pause(pacingMs, signal);
    return { params: state };
  }
  if (requests.length > mostRequests) return { problem: `asks for more than ${mostRequests} inputs at once` };
  const fault = requests.map(([, request]) => findFault(request, context.redact)).find((each) => each !== undefined);
  if (fault !== undefined) return { problem: fault };
  if (elicitor === undefined) return { problem: "asks for input, and nobody is there to give it" };
  const answers: [string, JsonObject][] = [];
  for (const [key, request] of requests) {
    const params = isJsonObject(request) && isJsonObject(request["params"]) ? request["params"] : {};
    answers.push([key, await elicitor.ask(params, { signal, tally, callContext, withinMs: time.askMs() })]);
  }
  // fromEntries defines properties, so that no key of the server's can be special.
  return { params: { inputResponses: Object.fromEntries(answers), ...state } };
}

function findFault(request: unknown, redact: (text: string) => string): string | undefined {
  const method = isJsonObject(request) ? request["method"] : undefined;
  if (method === "elicitation/create") return undefined;
  return `asks for an input that is not offered: ${quoteJson(method, redact)}`;
}
