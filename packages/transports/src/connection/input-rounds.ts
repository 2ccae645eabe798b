import type { CallContext, JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { waitFor } from "../time/cancellable-wait.ts";
import { quoteJson } from "../text/quote-json.ts";
import type { Elicitor, QuestionTally } from "../wire/elicitor.ts";

/** What to add to the next round's parameters, or why there is no next round. */
export type RoundAnswer =
  | { readonly params: JsonObject; readonly problem?: undefined }
  | { readonly params?: undefined; readonly problem: string };

/** What {@linkcode answerInputRequests} goes by. */
export interface RoundInit {
  readonly context: ServerContext;
  readonly elicitor: Elicitor | undefined;
  readonly signal: AbortSignal;
  readonly tally: QuestionTally;
  /** Of the request that is asked about, for the host alone. */
  readonly callContext?: CallContext | undefined;
  /** How long the next question may take, in milliseconds. */
  readonly leftMs: () => number;
}

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
  { context, callContext, elicitor, signal, tally, leftMs }: RoundInit,
): Promise<RoundAnswer> {
  const { inputRequests, requestState } = result;
  const requests = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const state = typeof requestState === "string" ? { requestState } : undefined;
  if (requests.length === 0) {
    if (state === undefined) return { problem: "asks for input without saying which" };
    await waitFor(pacingMs, { signal, clock: context.clock });
    return { params: state };
  }
  if (requests.length > mostRequests) return { problem: `asks for more than ${mostRequests} inputs at once` };
  const fault = requests.map(([, request]) => findFault(request, context.redact)).find((each) => each !== undefined);
  if (fault !== undefined) return { problem: fault };
  if (elicitor === undefined) return { problem: "asks for input, and nobody is there to give it" };
  const answers: [string, JsonObject][] = [];
  for (const [key, request] of requests) {
    const params = isJsonObject(request) && isJsonObject(request["params"]) ? request["params"] : {};
    answers.push([key, await elicitor.ask(params, { signal, tally, callContext, withinMs: leftMs() })]);
  }
  // fromEntries defines properties, so that no key of the server's can be special.
  return { params: { inputResponses: Object.fromEntries(answers), ...state } };
}

function findFault(request: unknown, redact: (text: string) => string): string | undefined {
  const method = isJsonObject(request) ? request["method"] : undefined;
  if (method === "elicitation/create") return undefined;
  return `asks for an input that is not offered: ${quoteJson(method, redact)}`;
}
