import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Answer } from "./raw-session.ts";
import type { ReadySession } from "./ready-session.ts";

/** What a server can list, by the member of the result that has the entries. */
export const lists = {
  tools: { method: "tools/list", capability: "tools" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
  prompts: { method: "prompts/list", capability: "prompts" },
} as const;

/** A member of {@linkcode lists}. */
export type ListName = keyof typeof lists;

/** What a server said when asked for a list, page by page, unjudged. */
export interface RawListing {
  readonly pages: readonly RawPage[];
  /** All entries of all pages that are objects, in order. What a loop repeats is there once. */
  readonly items: readonly JsonObject[];
  /** The answer that ended the listing early. */
  readonly broken?: Answer;
  /** Why the listing does not end, in words. */
  readonly endless?: string;
  /** `true`: there are more pages than were read, which is no fault. */
  readonly isCut?: boolean;
}

/** One page of a listing. */
export interface RawPage {
  readonly cursor: string | undefined;
  readonly result: JsonObject;
}

const maxPages = 200;
// One page may hold what another does; so many, one after another, are a server that goes round in
// circles.
const mostRepeats = 3;

/**
 * Follows a list to its end, to a loop, or to page 200. Asks nothing when the server does not
 * declare the capability.
 */
export async function readRawListing(ready: ReadySession, name: ListName = "tools"): Promise<RawListing> {
  const { method, capability } = lists[name];
  const pages: RawPage[] = [];
  const seen = new Map<string, number>();
  const itemsOf = (some: readonly RawPage[]): readonly JsonObject[] =>
    some.flatMap(({ result }) => (Array.isArray(result[name]) ? result[name].filter(isJsonObject) : []));
  const end = (more: Pick<RawListing, "broken" | "endless" | "isCut"> = {}, repeated = 0): RawListing => ({
    pages,
    items: itemsOf(pages.slice(0, pages.length - repeated)),
    ...more,
  });
  if (!isJsonObject(ready.handshake.capabilities[capability])) return end();
  const cursors = new Set<string>();
  let [cursor, repeats]: [string | undefined, number] = [undefined, 0];
  while (pages.length < maxPages) {
    const answer = await ready.request(method, cursor === undefined ? {} : { cursor });
    if (answer.kind !== "result" || !isJsonObject(answer.result)) return end({ broken: answer });
    const page = { cursor, result: answer.result };
    pages.push(page);
    const next = answer.result["nextCursor"];
    if (typeof next !== "string") return end();
    const content = JSON.stringify(itemsOf([page]));
    const first = seen.get(content);
    repeats = first === undefined || content === "[]" ? 0 : repeats + 1;
    if (first === undefined) seen.set(content, pages.length);
    if (cursors.has(next) && repeats === 0) return end({ endless: `cursor ${JSON.stringify(next)} came twice` });
    if (repeats === mostRepeats || (repeats > 0 && cursors.has(next)))
      return end({ endless: `page ${pages.length} is page ${first} again: the cursor leads in a circle` }, repeats);
    cursors.add(next);
    cursor = next;
  }
  return end({ isCut: true });
}
