import type { KeptItem } from "../keep/create-handles.ts";
import type { PresentedMedia } from "../presented.ts";

/** A request of a model about something that was kept. */
export interface ReadRequest {
  readonly handle: string;
  /**
   * From which character on, or for what is no text from which byte on. Default: from the
   * beginning.
   */
  readonly offset?: number | undefined;
  /** How many characters, or bytes; with a query, how many matches. */
  readonly limit?: number | undefined;
  /** A plain text to look for, whatever its case. */
  readonly query?: string | undefined;
}

/** A place where a query was found. */
export interface TextMatch {
  /** The character at which it begins, counted in code points from the beginning of the text. */
  readonly offset: number;
  /** The line it is in, from 1. */
  readonly line: number;
  /** The part of that line around it. */
  readonly text: string;
}

/**
 * The answer to a request: a page of a text, places where a query was found, a page of bytes as
 * base64, a medium that a model may have whole, what is known of other bytes, or why nothing was
 * read. `offset`, `total` and `next` count code points of texts, and bytes of bytes; `next` is
 * absent at the end.
 */
export type ReadAnswer =
  | ({ readonly kind: "text"; readonly text: string; readonly total: number } & Page)
  | ({ readonly kind: "matches"; readonly matches: readonly TextMatch[]; readonly total: number } & Omit<
      Page,
      "offset"
    >)
  | ({ readonly kind: "bytes"; readonly base64: string } & Page)
  | { readonly kind: "media"; readonly item: KeptItem; readonly media: PresentedMedia }
  | { readonly kind: "facts"; readonly item: KeptItem }
  | ReadFailure;

interface Page {
  readonly item: KeptItem;
  readonly offset: number;
  readonly next?: number | undefined;
}

/**
 * Why nothing was read. `"unknown-handle"`: nobody kept anything under it, or it is over, or it is
 * another conversation's; which of these is not said.
 */
export interface ReadFailure {
  readonly kind: "failed";
  readonly reason: "bad-arguments" | "unknown-handle" | "no-text" | "beyond-the-end" | "unavailable";
  /** For a model. */
  readonly message: string;
}

/** The longest query, in UTF-16 units. */
export const longestQuery = 256;

const members: ReadonlySet<string> = new Set(["handle", "offset", "limit", "query"]);

/**
 * Reads arguments of anybody's, or says in words for a model what is wrong with them. Members that
 * are `null` count as not given: some models send every one.
 */
export function parseRequest(
  args: Readonly<Record<string, unknown>>,
): { readonly request: ReadRequest } | { readonly problem: string } {
  const bad = (problem: string): { readonly problem: string } => ({
    problem: `${problem}; it takes {"handle": text, "offset"?: number, "limit"?: number, "query"?: text}`,
  });
  const unknown = Object.keys(args).find((member) => !members.has(member));
  if (unknown !== undefined) return bad(`there is no argument ${JSON.stringify(unknown.slice(0, 40).toWellFormed())}`);
  const { handle } = args;
  const [offset, limit, query] = [args["offset"] ?? undefined, args["limit"] ?? undefined, args["query"] ?? undefined];
  if (typeof handle !== "string") return bad('"handle" must be a text');
  if (!isCount(offset, 0)) return bad('"offset" must be a whole number of 0 or more');
  if (!isCount(limit, 1)) return bad('"limit" must be a whole number of 1 or more');
  if (query !== undefined && (typeof query !== "string" || query === "" || query.length > longestQuery)) {
    return bad(`"query" must be a text of 1 to ${longestQuery} characters`);
  }
  return { request: { handle, offset, limit, query } };
}

function isCount(value: unknown, least: number): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= least);
}

/** A match in one line, for a model. */
export function describeMatch({ offset, line, text }: TextMatch): string {
  return `character ${offset}, line ${line}: ${text}`;
}
