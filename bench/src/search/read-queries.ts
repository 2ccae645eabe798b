import { readFileSync } from "node:fs";

/** How a query was made. */
export const queryKinds = ["exact", "keywords", "sentence", "typo-or-synonym"] as const;
export type QueryKind = (typeof queryKinds)[number];

/** A query and the tools that answer it, as `server/tool`; any one of them counts as found. */
export interface LabelledQuery {
  readonly kind: QueryKind;
  readonly query: string;
  readonly answers: readonly string[];
}

/**
 * One half of the queries. Throws when a line has no known kind, or an answer that is no tool of
 * the data set.
 */
export function readQueries(half: "develop" | "report", known: ReadonlySet<string>): readonly LabelledQuery[] {
  const text = readFileSync(new URL(`../../data/search/queries-${half}.txt`, import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name = "", query = "", list = ""] = line.split(" | ");
    const kind = queryKinds.find((candidate) => candidate === name);
    const answers = list.split(", ");
    const unknown = answers.filter((answer) => !known.has(answer));
    if (kind === undefined || unknown.length > 0)
      throw new Error(`${half}: ${line}: unknown ${unknown.join(", ") || name}`);
    return { kind, query, answers };
  });
}
