import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A ```ts block of a Markdown file, written out as a module where its imports resolve. */
export interface ReadmeBlock {
  /** The Markdown file, relative to the root. */
  readonly source: string;
  /** Line of the block's first line of code. */
  readonly line: number;
  readonly code: string;
  /** The module, relative to the root. */
  readonly file: string;
}

const folderName = ".readme";

/** The ```ts blocks of Markdown files, in order. */
export async function readBlocks(sources: readonly string[]): Promise<readonly ReadmeBlock[]> {
  const blocks = await Promise.all(sources.map(readFileBlocks));
  return blocks.flat();
}

/** Writes every block to its file; the returned function removes them all again. */
export async function writeBlocks(blocks: readonly ReadmeBlock[]): Promise<() => Promise<void>> {
  const folders = new Set(blocks.map(({ file }) => dirname(file)));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  for (const { file, code } of blocks) await writeFile(file, `${code}\nexport {};\n`);
  return async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  };
}

/** What the comments behind `console.log(…)` promise, one text a line. */
export function promisedOutput(code: string): readonly string[] {
  return Array.from(code.matchAll(/^\s*console\.log\(.*\);\s*\/\/ (.*)$/gm), ([, text = ""]) => text);
}

async function readFileBlocks(source: string): Promise<readonly ReadmeBlock[]> {
  const text = await readFile(source, "utf8");
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), (match) => {
    const line = text.slice(0, match.index).split("\n").length + 1;
    const page = source.replace(/\.md$/, "").replaceAll("/", "-").toLowerCase();
    const file = join(homeOf(source), folderName, `${page}-line-${line}.ts`);
    return { source, line, code: match[1] ?? "", file };
  });
}

// A package's README is read by those who have that package; everything else by those who have them
// all, as the examples do.
function homeOf(source: string): string {
  return basename(source) === "README.md" && dirname(source) !== "." ? dirname(source) : "examples";
}
