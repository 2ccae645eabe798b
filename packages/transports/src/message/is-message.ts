import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/**
 * Whether an object can be meant as a JSON-RPC message, right or wrong: it says so, or has a
 * method, an id, or an error as JSON-RPC has them. A line of a log that happens to be JSON has none
 * of these.
 */
export function isMessage({ method, id, jsonrpc, error }: JsonObject): boolean {
  if (typeof method === "string" || typeof id === "number" || typeof id === "string" || jsonrpc !== undefined)
    return true;
  return isJsonObject(error) && typeof error["code"] === "number";
}
