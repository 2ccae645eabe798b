import type { JsonObject } from "@hostside/core";
import { isJsonObject, kindOf } from "@hostside/core/implement";

/** A document as JSON text. Throws a `TypeError` for what JSON does not have as an object. */
export function documentText(document: JsonObject): string {
  if (!isJsonObject(document)) throw new TypeError(`a document must be a JSON object, not ${kindOf(document)}`);
  return JSON.stringify(document);
}

/** Throws a `TypeError` for a time to live that is not above 0. */
export function assertTtl(ttlMs: number | undefined): void {
  if (ttlMs === undefined) return;
  if (!(typeof ttlMs === "number" && ttlMs > 0 && ttlMs < Number.POSITIVE_INFINITY)) {
    throw new TypeError("ttlMs must be a number above 0");
  }
}
