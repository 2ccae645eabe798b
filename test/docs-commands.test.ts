import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readTrackedFiles } from "../scripts/tracked-files.mjs";

const known = new Set(
  Array.from(readFileSync("docs/reference/cli.md", "utf8").matchAll(/^### `hostside ([a-z]+)/gm), ([, name]) => name),
);
const pages = readTrackedFiles("README.md", "docs/*.md", "docs/**/*.md", "packages/**/README.md").filter(
  (page) => !page.startsWith("docs/internals"),
);

it.each(pages)("%s names only commands that there are", (page) => {
  expect(known.size).toBeGreaterThan(10);
  const unknown = commandsOf(readFileSync(page, "utf8")).filter((name) => !known.has(name));
  expect(unknown).toEqual([]);
});

/** The commands in code: in a block of a terminal, or between backticks. */
function commandsOf(text: string): readonly string[] {
  const blocks = Array.from(text.matchAll(/^```(?:sh|text)\n(.*?)^```$/gms), ([, code = ""]) => code.split("\n"));
  const spans = Array.from(text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code);
  return [...blocks.flat(), ...spans].flatMap((line) => {
    const command = /^(?:npx (?:-y )?(?:pnpm@\S+ )?)?hostside (?:--\w+ \S+ )*([a-z]+)/.exec(line)?.[1];
    return command === undefined ? [] : [command];
  });
}
