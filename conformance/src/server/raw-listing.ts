import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Answer } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** What a server said when asked for its tools, page by page, unjudged. */
export interface RawListing {
  readonly pages: readonly RawPage[];
  /** All entries of all pages that are objects, in order. */
  readonly tools: readonly JsonObject[];
  /** The answer that ended the listing early. */
  readonly broken?: Answer;
  /** A cursor that came twice. */
  readonly repeatedCursor?: string;
}

/** One page of a listing. */
export interface RawPage {
  readonly cursor: string | undefined;
  readonly result: JsonObject;
}

const maxPages = 200;

/**
 * Follows `tools/list` to its end, to a repeated cursor, or to page 200. Asks nothing when the
 * server declares no tools.
 */
export async function readRawListing(ready: ReadySession): Promise<RawListing> {
  const pages: RawPage[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  if (!isJsonObject(ready.handshake.capabilities["tools"])) return { pages, tools: [] };
  while (pages.length < maxPages) {
    const answer = await ready.request("tools/list", cursor === undefined ? {} : { cursor });
    if (answer.kind !== "result" || !isJsonObject(answer.result))
      return { pages, tools: toolsOf(pages), broken: answer };
    pages.push({ cursor, result: answer.result });
    const next: JsonValue | undefined = answer.result["nextCursor"];
    if (typeof next !== "string") break;
    if (seen.has(next)) return { pages, tools: toolsOf(pages), repeatedCursor: next };
    seen.add(next);
    cursor = next;
  }
  return { pages, tools: toolsOf(pages) };
}

function toolsOf(pages: readonly RawPage[]): readonly JsonObject[] {
  return pages.flatMap(({ result }) => (Array.isArray(result["tools"]) ? result["tools"].filter(isJsonObject) : []));
}
