import { parseJsonTree } from "./parse-json.ts";
import { createProblemList, type ConfigFormat, type ParsedConfig, type Position } from "./config-problem.ts";
import {
  BrokenTextError,
  tooDeep,
  type ConfigNode,
  type ParsedTree,
  type ParseLimits,
  type ConfigPath,
} from "./config-data.ts";

/** Options of parsing. */
export interface ParseConfigOptions {
  readonly format: ConfigFormat;
  /** For problems alone: nothing is read from it. */
  readonly file?: string | undefined;
}

/** Reads one format. */
export type TextParser = (text: string, limits: ParseLimits) => ParsedTree;

/**
 * The parser of a format. Parsers for the files of few tools are loaded for the first such file.
 */
export async function loadParser(format: ConfigFormat): Promise<TextParser> {
  if (format === "yaml") return (await import("./parse-yaml.ts")).parseYaml;
  if (format === "toml") return (await import("./parse-toml.ts")).parseToml;
  return parseJsonTree;
}

const maxDepth = 64;
const maxEntries = 200_000;
// Files of whole products are a few megabytes. The two others are written by hand, and cost more to
// read.
const limits: Readonly<Record<ConfigFormat, ParseLimits>> = {
  json: { maxLength: 8 * 1024 * 1024, maxDepth, maxEntries },
  yaml: { maxLength: 128 * 1024, maxDepth, maxEntries: 50_000 },
  toml: { maxLength: 256 * 1024, maxDepth, maxEntries: 50_000 },
};

/** Does what `parseConfig()` does, with the parser of the format. */
export function parseWith(parser: TextParser, written: string, { format, file }: ParseConfigOptions): ParsedConfig {
  const text = written.startsWith("\uFEFF") ? written.slice(1) : written;
  const { root, faults, isBroken } = parseText(parser, text, limits[format]);
  const positionAt = createLineIndex(text);
  const positionOf = (path: ConfigPath, of: "name" | "value" = "value") => {
    let node = root;
    for (const part of path) {
      const next = node?.children?.get(String(part));
      // Where the last part that exists begins.
      if (next === undefined) return positionAt(node?.start ?? 0);
      node = next;
    }
    return positionAt((of === "name" ? node?.name : undefined) ?? node?.start ?? 0);
  };
  const problems = createProblemList({ file, positionOf });
  const severity = isBroken ? "error" : "warning";
  for (const { offset, ...fault } of faults) {
    problems.add({ ...fault, path: pathAt(root, offset), severity, position: positionAt(offset) });
  }
  const unread = text.indexOf("\uFFFD");
  if (unread >= 0 && !isBroken) {
    const message = "has U+FFFD, which is what a character that cannot be read is taken for";
    const fix = "save the file as UTF-8, or leave the character out";
    const where = { path: pathAt(root, unread), position: positionAt(unread) };
    problems.add({ ...where, severity: "warning", code: "invalid_syntax", message, fix });
  }
  if (text.trim() === "") {
    problems.add({ path: [], severity: "warning", code: "empty_file", message: "is empty" });
  }
  return { ...(file === undefined ? {} : { file }), format, data: root?.data, problems: problems.all, positionOf };
}

function parseText(
  parser: TextParser,
  text: string,
  allowed: ParseLimits,
): ParsedTree & { readonly isBroken: boolean } {
  try {
    if (text.trim() === "") return { root: undefined, faults: [], isBroken: false };
    assertText(text, allowed);
    return { ...parser(text, allowed), isBroken: false };
  } catch (error) {
    // Parsers recurse.
    const broken = error instanceof RangeError ? tooDeep(0, allowed) : error;
    if (!(broken instanceof BrokenTextError)) throw broken;
    return { root: undefined, faults: [broken.fault], isBroken: true };
  }
}

function assertText(text: string, { maxLength }: ParseLimits): void {
  if (text.length > maxLength) {
    const message = `has ${text.length} characters; at most ${maxLength} are read`;
    throw new BrokenTextError({ offset: 0, code: "too_large", message });
  }
  const offset = text.indexOf("\0");
  if (offset < 0) return;
  // As what Windows writes when it is told nothing else, UTF-16, looks in UTF-8.
  const message = "has a NUL in it, and is no text in UTF-8";
  throw new BrokenTextError({ offset, code: "invalid_syntax", message, fix: "save the file as UTF-8" });
}

// The innermost value around an offset.
function pathAt(root: ConfigNode | undefined, offset: number): ConfigPath {
  const path: (string | number)[] = [];
  for (let node = root; node !== undefined;) {
    const inside = childAt(node, offset);
    if (inside === undefined) break;
    path.push(Array.isArray(node.data) ? Number(inside[0]) : inside[0]);
    node = inside[1];
  }
  return path;
}

function childAt({ children = new Map() }: ConfigNode, offset: number): readonly [string, ConfigNode] | undefined {
  for (const child of children) {
    const [, { name, start, end }] = child;
    if ((name ?? start) <= offset && offset < end) return child;
  }
  return undefined;
}

/** From offsets to lines and columns. Lines end with LF, CR LF or CR, as editors count them. */
function createLineIndex(text: string): (offset: number) => Position {
  let starts: readonly number[] | undefined;
  return (wanted) => {
    starts ??= lineStarts(text);
    const offset = Math.min(Math.max(wanted, 0), text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1, offset };
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\r\n|\n|\r/g), ({ index, 0: end }) => index + end.length)];
}
