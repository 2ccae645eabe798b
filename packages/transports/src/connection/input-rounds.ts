import { cleanText, isJsonObject, type JsonObject } from "@toolport/core";
import type { Elicitor } from "./elicitor.ts";

/** What to add to the next round's parameters, or why there is no next round. */
export type RoundAnswer =
  | { readonly params: JsonObject; readonly problem?: undefined }
  | { readonly params?: undefined; readonly problem: string };

/** What {@linkcode answerInputRequests} goes by. */
export interface RoundInit {
  readonly elicitor: Elicitor | undefined;
  /** The call's own. */
  readonly signal: AbortSignal | undefined;
}

const mostRequests = 16;

/**
 * Answers an `input_required` result: each embedded elicitation is asked, one after another, and `requestState` goes back as it
 * came. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function answerInputRequests(result: JsonObject, { elicitor, signal }: RoundInit): Promise<RoundAnswer> {
  const { inputRequests, requestState } = result;
  const requests = isJsonObject(inputRequests) ? Object.entries(inputRequests) : [];
  const state = typeof requestState === "string" ? { requestState } : undefined;
  if (requests.length === 0)
    return state === undefined ? { problem: "asks for input without saying which" } : { params: state };
  if (requests.length > mostRequests) return { problem: `asks for more than ${mostRequests} inputs at once` };
  if (elicitor === undefined) return { problem: "asks for input, and nobody is there to give it" };
  const answers: [string, JsonObject][] = [];
  for (const [key, request] of requests) {
    if (!isJsonObject(request) || request["method"] !== "elicitation/create" || !isJsonObject(request["params"])) {
      const method = isJsonObject(request) ? request["method"] : undefined;
      return {
        problem: `asks for an input of a kind that is not offered: ${cleanText(JSON.stringify(method) ?? "none", 60)}`,
      };
    }
    answers.push([key, await elicitor.ask(request["params"], signal ?? new AbortController().signal)]);
  }
  // fromEntries defines properties, so that no key of the server's can be special.
  return { params: { inputResponses: Object.fromEntries(answers), ...state } };
}
