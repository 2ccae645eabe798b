import type { ReadRequest } from "./read-answer.ts";

/** Arguments that were read, or what is wrong with them, in words for a model. */
export type ParsedRequest =
  | { readonly kind: "good"; readonly request: ReadRequest }
  | { readonly kind: "bad"; readonly problem: string };

/** The longest query, in UTF-16 units. */
export const longestQuery = 256;

const members: ReadonlySet<string> = new Set(["handle", "offset", "limit", "query"]);

/**
 * Reads arguments of anybody's. Members that are `null` count as not given: some models send every
 * one.
 */
export function parseRequest(args: Readonly<Record<string, unknown>>): ParsedRequest {
  const unknown = Object.keys(args).find((member) => !members.has(member));
  if (unknown !== undefined) return bad(`there is no argument ${JSON.stringify(unknown.slice(0, 40).toWellFormed())}`);
  const { handle, offset, limit, query } = args;
  if (typeof handle !== "string") return bad('"handle" must be a text');
  if (!isCount(offset, 0)) return bad('"offset" must be a whole number of 0 or more');
  if (!isCount(limit, 1)) return bad('"limit" must be a whole number of 1 or more');
  if (!isQuery(query)) return bad(`"query" must be a text of 1 to ${longestQuery} characters`);
  return {
    kind: "good",
    request: { handle, offset: offset ?? undefined, limit: limit ?? undefined, query: query ?? undefined },
  };
}

function bad(problem: string): ParsedRequest {
  return {
    kind: "bad",
    problem: `${problem}; it takes {"handle": text, "offset"?: number, "limit"?: number, "query"?: text}`,
  };
}

function isCount(value: unknown, least: number): value is number | null | undefined {
  return (
    value === undefined ||
    value === null ||
    (typeof value === "number" && Number.isSafeInteger(value) && value >= least)
  );
}

function isQuery(value: unknown): value is string | null | undefined {
  return (
    value === undefined || value === null || (typeof value === "string" && value !== "" && value.length <= longestQuery)
  );
}
