import { readFileSync, writeFileSync } from "node:fs";

const page = new URL("../../../docs/internals/search-measurements.md", import.meta.url);

/** A table of Markdown; the first column is text, the others are figures. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Prints a text, and puts it into docs/internals/search-measurements.md between the marks of that name. */
export function writeTable(name: string, text: string): void {
  process.stdout.write(`${text}\n`);
  const [start, end] = [`<!-- ${name}: start -->`, `<!-- ${name}: end -->`];
  const markdown = readFileSync(page, "utf8");
  const [from, to] = [markdown.indexOf(start), markdown.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/internals/search-measurements.md has no ${start} … ${end}`);
  writeFileSync(page, `${markdown.slice(0, from + start.length)}\n\n${text}\n\n${markdown.slice(to)}`);
}
