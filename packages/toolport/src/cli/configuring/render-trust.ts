import type { TrustAnswer, TrustQuestion } from "@toolport/config";
import { oneLine } from "../render/one-line.ts";
import { renderTable } from "../render/render-table.ts";
import { wrapText } from "../render/wrap-text.ts";
import type { Terminal } from "../terminal.ts";
import { quoteWord, showPath } from "./show-server.ts";

/** What was decided about a server, as `--list` shows it. */
export interface ShownRecord {
  readonly name: string;
  readonly answer: TrustAnswer;
  readonly folder: string;
  readonly file?: string | undefined;
  /** ISO 8601. */
  readonly answeredAt: string;
}

const longestStart = 4000;

/**
 * What somebody is asked to trust, as lines for stderr. What would start is shown whole, with no word masked: a program can hide behind what looks like a secret, and what
 * stands in a file of the project is none. Pure.
 */
export function renderQuestion(question: TrustQuestion, terminal: Terminal): string {
  const { serverId, folder, file, line, starts, references, changed, before } = question;
  const words = starts.map((word) => quoteWord(oneLine(word, longestStart))).join(" ");
  const cut =
    words.length > longestStart
      ? `${words.slice(0, longestStart)}… (${words.length - longestStart} more characters)`
      : words;
  const place = [file === undefined ? folder : showPath(file, terminal), line].filter((part) => part !== undefined);
  const facts = [
    ["from", place.join(":")],
    ["would start", cut],
    ...(references.length > 0
      ? [["would get", references.map(({ kind, name }) => `${name} (${kind})`).join(", ")]]
      : []),
    ...(changed.length > 0 ? [["changed", changed.join(", ")]] : []),
    ...(before === undefined ? [] : [["before", before === "trust" ? "it was trusted" : "it was refused"]]),
  ];
  const lines = facts.flatMap(([label = "", text = ""]) =>
    wrapText(oneLine(text, longestStart + 100), {
      width: terminal.columns,
      indent: `  ${label.padEnd(12)}`,
      hanging: " ".repeat(14),
    }),
  );
  return `\n${terminal.paintErr("name", oneLine(serverId))}\n${lines.join("\n")}\n`;
}

/** What was decided, as a table. Pure. */
export function renderRecords(records: readonly ShownRecord[], terminal: Terminal): string {
  if (records.length === 0) return "Nothing was decided about any server of a project.\n";
  const rows = records.map(({ name, answer, folder, file, answeredAt }) => [
    { text: name, style: "name" } as const,
    { text: answer === "trust" ? "trusted" : "refused", style: answer === "trust" ? "good" : "bad" } as const,
    { text: answeredAt.slice(0, 10), style: "dim" } as const,
    showPath(file ?? folder, terminal),
  ]);
  const layout = [{ least: 8 }, {}, { optional: true }, { least: 20 }];
  return `${renderTable(rows, { layout, columns: terminal.columns, paint: terminal.paint }).join("\n")}\n`;
}
