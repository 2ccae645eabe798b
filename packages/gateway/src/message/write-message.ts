import type { JsonObject } from "@hostside/core";
import { errorMessage, rpcCodes } from "./json-rpc.ts";

/**
 * A message as text. One that cannot be written, such as a result that is nested too deep for the
 * stack, is an error of its request; `undefined`: it answers none.
 */
export function writeMessage(message: JsonObject): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    const { id, method } = message;
    if (method !== undefined || (typeof id !== "string" && typeof id !== "number")) return undefined;
    return JSON.stringify(errorMessage(id, { code: rpcCodes.internalError, message: "The result is no JSON" }));
  }
}
