import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";

/** What came that is almost an answer to a request that waits: the first thing for each. */
export interface AlmostAnswers {
  /** An object that is no message. */
  addObject(value: JsonObject): void;
  /** The id of an answer that nobody waits for: of the other type, somebody may. */
  addId(id: JsonValue | undefined): void;
  /** What came in place of the answer to `id`, in words, if anything did. */
  of(id: JsonValue): string | undefined;
  /** The request was answered, or nobody waits any more; by its id as JSON. */
  forget(key: string): void;
}

/** Starts without any. `waits` says whether a request waits, by its id as JSON. */
export function createAlmostAnswers(waits: (key: string) => boolean): AlmostAnswers {
  const firsts = new Map<string, string>();
  const add = (id: JsonValue, what: string): boolean => {
    const key = JSON.stringify(id);
    if (!waits(key)) return false;
    if (!firsts.has(key)) firsts.set(key, what);
    return true;
  };
  return {
    addObject({ id, jsonrpc }) {
      if (id === undefined) return;
      const version = jsonrpc === undefined ? "it has no jsonrpc" : `jsonrpc is ${excerptOf(jsonrpc)}`;
      const what = `an object with id ${excerptOf(id)} came that is no JSON-RPC 2.0 message (${version})`;
      const other = otherTypeOf(id);
      if (!add(id, what) && other !== undefined) add(other, what);
    },
    addId(id) {
      const other = otherTypeOf(id);
      if (id === undefined || other === undefined) return;
      const type = typeof id === "string" ? "text" : "number";
      add(other, `an answer with id ${JSON.stringify(id)} (a ${type}) to request ${JSON.stringify(other)}`);
    },
    of: (id) => firsts.get(JSON.stringify(id)),
    forget: (key) => void firsts.delete(key),
  };
}

function excerptOf(value: JsonValue): string {
  return truncateText(JSON.stringify(value), 80);
}

/** `2` for `"2"`, and the other way round. */
function otherTypeOf(id: JsonValue | undefined): JsonValue | undefined {
  if (typeof id === "number") return String(id);
  const number = typeof id === "string" ? Number(id) : Number.NaN;
  return String(number) === id ? number : undefined;
}
