import type { JsonObject } from "@hostside/core";
import { dropUnseen, isJsonObject, withoutHalves } from "@hostside/core/implement";
import { errorMessage, rpcCodes } from "./json-rpc.ts";

/**
 * A message as text, with U+FFFD for half a character, and without unseen characters; they stay
 * where a client chose an id or a token that has some. One that cannot be written, such as a result
 * that is nested too deep for the stack, is an error of its request; `undefined`: it answers none.
 */
export function writeMessage(message: JsonObject): string | undefined {
  try {
    const text = withoutHalves(JSON.stringify(message));
    const clean = dropUnseen(text);
    return clean === text || hasOwnWords(message) ? text : clean;
  } catch {
    const { id, method } = message;
    if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
    return JSON.stringify(errorMessage(id, { code: rpcCodes.internalError, message: "The result is no JSON" }));
  }
}

// By another id nobody knows what is answered.
function hasOwnWords({ id, params }: JsonObject): boolean {
  const token = isJsonObject(params) ? params["progressToken"] : undefined;
  return [id, token].some((own) => typeof own === "string" && dropUnseen(own) !== own);
}
