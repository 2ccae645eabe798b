import type { JsonObject, JsonValue } from "@hostside/core";
import { rpcCodes } from "../message/json-rpc.ts";
import { rpcError } from "../message/rpc-error.ts";

/**
 * One page of a list. The cursor names the entry that the page before it ended with, so that a list
 * that changes meanwhile loses nothing.
 */
export function paginate(
  all: readonly JsonObject[],
  params: JsonObject,
  { size, keyOf }: { readonly size: number; readonly keyOf: (entry: JsonObject) => JsonValue | undefined },
): { readonly entries: readonly JsonObject[]; readonly nextCursor?: string } {
  const { cursor } = params;
  const start = cursor === undefined ? 0 : findStart(all, cursor, keyOf);
  const entries = all.slice(start, start + size);
  const last = entries.at(-1);
  const key = last && keyOf(last);
  if (typeof key !== "string" || start + size >= all.length) return { entries };
  return { entries, nextCursor: `after:${key}` };
}

function findStart(
  all: readonly JsonObject[],
  cursor: JsonValue,
  keyOf: (entry: JsonObject) => JsonValue | undefined,
): number {
  const key = typeof cursor === "string" && cursor.startsWith("after:") ? cursor.slice("after:".length) : undefined;
  const index = key === undefined ? -1 : all.findIndex((entry) => keyOf(entry) === key);
  if (index === -1) throw rpcError(rpcCodes.invalidParams, "Invalid cursor: list again from the beginning");
  return index + 1;
}
