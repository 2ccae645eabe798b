import { parseJsonTree } from "./parse-json.ts";
import { createProblemList } from "./problem-list.ts";
import {
  nodeAt,
  type ConfigNode,
  type ParsedTree,
  type ParseLimits,
  type TextFault,
  type ConfigPath,
} from "./config-data.ts";
import type { ConfigFormat, ParsedConfig, Position } from "./parsed-config.ts";

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

// A text with more that breaks it is not read.
const mostFaults = 100;
// What is below may be a value that a broken text made a name of.
const longestFaultPath = 2;
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
  const { root: tree, faults } = parseText(parser, text, limits[format]);
  const breaking = faults.filter(({ breaks }) => breaks);
  const root = breaking.length > mostFaults ? undefined : tree;
  const positionAt = createLineIndex(text);
  const positionOf = (path: ConfigPath, of: "name" | "value" = "value") => {
    if (root === undefined) return positionAt(0);
    const { node, found } = nodeAt(root, path);
    return positionAt(of === "name" && found ? (node.name ?? node.start) : node.start);
  };
  const problems = createProblemList({ file, positionOf });
  for (const { offset, breaks, code, message, fix } of faults.slice(0, mostFaults)) {
    const around = pathAt(root, offset);
    const path = breaks ? around.slice(0, longestFaultPath) : around;
    problems.add({ path, severity: breaks ? "error" : "warning", code, message, fix, position: positionAt(offset) });
  }
  if (faults.length > mostFaults) {
    const message = `has ${faults.length} faults; these are the first ${mostFaults}`;
    problems.add({ path: [], severity: "warning", code: "too_many_problems", message });
  }
  const unread = text.indexOf("\uFFFD");
  if (unread >= 0 && !text.includes("\0")) {
    const message = "has U+FFFD, which is what a character that cannot be read is taken for";
    const fix = "save the file as UTF-8, or leave the character out";
    const where = { path: pathAt(root, unread), position: positionAt(unread) };
    problems.add({ ...where, severity: "warning", code: "invalid_syntax", message, fix });
  }
  if (text.trim() === "") {
    problems.add({ path: [], severity: "warning", code: "empty_file", message: "is empty" });
  }
  return {
    ...(file === undefined ? {} : { file }),
    format,
    data: root?.data,
    problems: problems.all,
    positionOf,
    isWhole: (path) => isWhole(path, breaking, root),
  };
}

function parseText(parser: TextParser, text: string, allowed: ParseLimits): ParsedTree {
  if (text.length > allowed.maxLength) {
    const message = `has ${text.length} characters; at most ${allowed.maxLength} are read`;
    return { root: undefined, faults: [{ offset: 0, code: "too_large", message, breaks: true }] };
  }
  if (text.trim() === "") return { root: undefined, faults: [] };
  const nul = text.indexOf("\0");
  return nul < 0 ? parser(text, allowed) : { root: undefined, faults: [notUtf8(nul)] };
}

// As what Windows writes when it is told nothing else, UTF-16, looks in UTF-8.
function notUtf8(offset: number): TextFault {
  const message = "has a NUL in it, and is no text in UTF-8";
  return { offset, code: "invalid_syntax", message, fix: "save the file as UTF-8", breaks: true };
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

function isWhole(path: ConfigPath, breaking: readonly TextFault[], root: ConfigNode | undefined): boolean {
  const { node, found } = root === undefined ? { found: false } : nodeAt(root, path);
  if (node === undefined || !found) return false;
  const start = node.name ?? node.start;
  // The end counts: what a text breaks off in ends where the text does.
  return !breaking.some(
    ({ offset, between }) => (between === true ? start < offset : start <= offset) && offset <= node.end,
  );
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
