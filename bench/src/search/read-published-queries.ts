import { readFileSync } from "node:fs";

/** How a query was written: a intent, b sentence, c keywords, d rough, e service and act. */
export const queryStyles = ["a", "b", "c", "d", "e"] as const;
export type QueryStyle = (typeof queryStyles)[number];

/** A query over the published servers, and every tool that answers it. */
export interface PublishedQuery {
  readonly style: QueryStyle;
  readonly query: string;
  /** As `server/tool`; the first is the one it was written for. */
  readonly answers: readonly string[];
  /** Of the first answer: what folds are made by. */
  readonly server: string;
}

/**
 * `published` to develop with; `confirm` and `confirm-again` confirmed what had been chosen by it,
 * and then were chosen by as well. `confirm-asked` is `confirm-again` in the words of a model that
 * was asked to do it; nothing was chosen by `confirm-fresh`.
 */
export type PublishedQuerySet = "published" | "confirm" | "confirm-again" | "confirm-asked" | "confirm-fresh";

/**
 * One set of queries. Throws when a line has no known style, or an answer that is no tool of the
 * published servers.
 */
export function readPublishedQueries(set: PublishedQuerySet, known: ReadonlySet<string>): readonly PublishedQuery[] {
  const text = readFileSync(new URL(`../../data/search/queries-${set}.txt`, import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [name = "", query = "", list = ""] = line.split(" | ").map((part) => part.trim());
    const style = queryStyles.find((candidate) => candidate === name);
    const answers = list.split(", ");
    const unknown = answers.filter((answer) => !known.has(answer));
    if (style === undefined || unknown.length > 0)
      throw new Error(`${set}: unknown ${unknown.join(", ") || name} (line of ${answers[0] ?? ""})`);
    return { style, query, answers, server: answers[0]?.split("/")[0] ?? "" };
  });
}
