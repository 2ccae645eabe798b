import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { parseJson } from "../engine/parse-json.ts";

/**
 * The objects in a text: the one that it is, or those of the array that it is. None if it is no
 * JSON.
 */
export function readObjects(text: string): readonly JsonObject[] {
  const value = parseJson(text);
  return (Array.isArray(value) ? value : [value]).filter((each): each is JsonObject => isJsonObject(each));
}

/** Whether an object says that it is a message of JSON-RPC 2.0. */
export function isMessage({ jsonrpc }: JsonObject): boolean {
  return jsonrpc === "2.0";
}
