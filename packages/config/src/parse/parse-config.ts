import { createProblemList, type ProblemInit } from "./problem-list.ts";
import {
  nodeAt,
  type ConfigNode,
  type ParsedTree,
  type ParseLimits,
  type TextFault,
  type ConfigPath,
} from "./config-data.ts";
import { parseJsonTree } from "./parse-json.ts";
import { parseToml } from "./parse-toml.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { ConfigFormat, Liberty, ParsedConfig, Position } from "./parsed-config.ts";

/** How a text is parsed. */
export interface ParseConfigOptions {
  /** `"json"`: comments and trailing commas are read, with a warning. */
  readonly format: ConfigFormat;
  /** For problems alone: nothing is read from it. */
  readonly file?: string | undefined;
}

// Nobody reads more of one text, and each takes a look at what is around it.
const mostFaults = 100;
// Each is there once at most.
const limitCodes: ReadonlySet<TextFault["code"]> = new Set(["too_deep", "too_many_entries", "cyclic_alias"]);
// What is below may be a value that a broken text made a name of.
const longestFaultPath = 2;
const maxDepth = 64;
const maxEntries = 200_000;
// Files of whole products are a few megabytes. The two others are written by hand, and cost more to
// read.
const limits: Readonly<Record<ConfigFormat, ParseLimits>> = {
  json: { maxLength: 8 * 1024 * 1024, maxDepth, maxEntries },
  jsonc: { maxLength: 8 * 1024 * 1024, maxDepth, maxEntries },
  yaml: { maxLength: 128 * 1024, maxDepth, maxEntries: 50_000 },
  toml: { maxLength: 256 * 1024, maxDepth, maxEntries: 50_000 },
};

/**
 * A text as data, with the place of everything in it. Never throws: what cannot be read is a
 * problem, and the rest is there.
 */
export function parseConfig(written: string, { format, file }: ParseConfigOptions): ParsedConfig {
  const text = written.startsWith("\uFEFF") ? written.slice(1) : written;
  const { root, faults, liberties } = parseText(text, format);
  const positionAt = createLineIndex(text);
  const positionOf = (path: ConfigPath, of: "name" | "value" = "value") => {
    if (root === undefined) return positionAt(0);
    const { node, found } = nodeAt(root, path);
    return positionAt(of === "name" && found ? (node.name ?? node.start) : node.start);
  };
  const problems = createProblemList({ file, positionOf });
  for (const fault of faults.filter(({ code }, index) => index < mostFaults || limitCodes.has(code))) {
    const { offset, breaks, code, message, fix } = fault;
    const around = root === undefined ? [] : pathAt(root, offset);
    const path = fault.path ?? (breaks ? around.slice(0, longestFaultPath) : around);
    problems.add({ path, severity: breaks ? "error" : "warning", code, message, fix, position: positionAt(offset) });
  }
  const unread = text.indexOf("\uFFFD");
  if (unread >= 0 && !text.includes("\0")) {
    const message = "has U+FFFD, which is what a character that cannot be read is taken for";
    const path = root === undefined ? [] : pathAt(root, unread);
    const fix = "save the file as UTF-8, or leave the character out";
    problems.add({ path, severity: "warning", code: "invalid_syntax", message, fix, position: positionAt(unread) });
  }
  if (faults.length > mostFaults) {
    const message = `has ${faults.length} faults; these are the first ${mostFaults}`;
    problems.add({ path: [], severity: "warning", code: "too_many_problems", message });
  }
  if (text.trim() === "") {
    problems.add({ path: [], severity: "warning", code: "empty_file", message: "is empty" });
  }
  if (format === "json") for (const liberty of liberties) problems.add(strictProblem(liberty, positionAt));
  const breaking = faults.filter(({ breaks }) => breaks).toSorted((a, b) => a.offset - b.offset);
  return {
    ...(file === undefined ? {} : { file }),
    format,
    data: root?.data,
    problems: problems.all,
    liberties,
    positionOf,
    positionAt,
    isWhole: (path) => isWhole(path, breaking, root),
  };
}

/**
 * The warning about a comment or a trailing comma, for `reader`, the tool that would not read the
 * file.
 */
export function strictProblem(
  liberty: Liberty,
  positionAt: ParsedConfig["positionAt"],
  reader: string = "a strict reader",
): ProblemInit {
  return {
    path: [],
    severity: "warning",
    code: "not_strict_json",
    message: `${reader} cannot read this file because of a ${liberty.kind}`,
    fix: `remove the ${liberty.kind}`,
    position: positionAt(liberty.offset),
  };
}

function parseText(text: string, format: ConfigFormat): ParsedTree & { readonly liberties: readonly Liberty[] } {
  const allowed = limits[format];
  if (text.length > allowed.maxLength) {
    const message = `has ${text.length} characters; at most ${allowed.maxLength} are read`;
    return { root: undefined, faults: [{ offset: 0, code: "too_large", message, breaks: true }], liberties: [] };
  }
  if (text.trim() === "") return { root: undefined, faults: [], liberties: [] };
  const nul = text.indexOf("\0");
  if (nul >= 0) return { root: undefined, faults: [notUtf8(nul)], liberties: [] };
  switch (format) {
    case "json":
    case "jsonc":
      return parseJsonTree(text, allowed);
    case "yaml":
      return { ...parseYaml(text, allowed), liberties: [] };
    case "toml":
      return { ...parseToml(text, allowed), liberties: [] };
  }
}

// As what Windows writes when it is told nothing else, UTF-16, looks in UTF-8.
function notUtf8(offset: number): TextFault {
  const message = "has a NUL in it, and is no text in UTF-8";
  return { offset, code: "invalid_syntax", message, fix: "save the file as UTF-8", breaks: true };
}

// The innermost value around an offset.
function pathAt(root: ConfigNode, offset: number): ConfigPath {
  const path: (string | number)[] = [];
  for (let node: ConfigNode | undefined = root; node !== undefined;) {
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

// Of faults in their order, all of which break something.
function isWhole(path: ConfigPath, faults: readonly TextFault[], root: ConfigNode | undefined): boolean {
  const { node, found } = root === undefined ? { found: false } : nodeAt(root, path);
  if (node === undefined || !found) return false;
  const start = node.name ?? node.start;
  // What is beyond the last fault that is looked at is as good as broken.
  const known = faults[mostFaults]?.offset ?? Number.POSITIVE_INFINITY;
  if (node.end >= known) return false;
  return !faults.slice(0, mostFaults).some(({ path: broken, offset, between }) => {
    if (broken !== undefined) return path.every((part, index) => index >= broken.length || broken[index] === part);
    // The end counts: what a text breaks off in ends where the text does.
    return (between === true ? start < offset : start <= offset) && offset <= node.end;
  });
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
