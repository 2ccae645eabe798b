import { ParseError, parseTOML, type AST } from "toml-eslint-parser";
import type { ConfigData, ConfigPath, ConfigNode, ParsedTree, ParseLimits, TextFault } from "./config-data.ts";
import { tooDeepFault, tooManyFault } from "./parse-json.ts";

// The parser ends with the first fault. What is left out for one is a table, from its header to the
// next header.
const mostFaults = 8;

interface Walk {
  readonly limits: ParseLimits;
  readonly faults: TextFault[];
  entries: number;
  depth: number;
}

/** TOML 1.0. The tables of a broken text that are in order are read. */
export function parseToml(text: string, limits: ParseLimits): ParsedTree {
  const faults: TextFault[] = [];
  let rest = text;
  while (faults.length < mostFaults) {
    try {
      return {
        root: toTree(parseTOML(rest, { tomlVersion: "1.0" }), { limits, faults, entries: 0, depth: 0 }),
        faults,
      };
    } catch (error) {
      const fault = readFault(error, limits);
      const { shorter, path } = withoutTable(rest, fault.offset);
      faults.push({ ...fault, path });
      if (fault.code !== "invalid_syntax" || shorter === rest) break;
      rest = shorter;
    }
  }
  return { root: undefined, faults };
}

function readFault(error: unknown, { maxDepth }: ParseLimits): TextFault {
  // The parser recurses.
  if (error instanceof RangeError) return tooDeepFault(0, maxDepth);
  if (!(error instanceof ParseError)) throw error;
  return { offset: error.index, code: "invalid_syntax", message: error.message, breaks: true };
}

// Spaces in its place, so that every offset stays. A line that begins with a bracket inside a text
// over several lines is taken for a header as well: then less is read, never something else.
function withoutTable(
  text: string,
  offset: number,
): { readonly shorter: string; readonly path?: ConfigPath | undefined } {
  const headers = Array.from(text.matchAll(/^[ \t]*\[/gm), ({ index }) => index);
  const start = headers.findLast((header) => header < offset) ?? 0;
  const end = headers.find((header) => header > start && header >= offset) ?? text.length;
  const table = text.slice(start, end);
  const shorter = text.slice(0, start) + table.replaceAll(/[^\r\n]/g, " ") + text.slice(end);
  return { shorter, path: headerPath(table) };
}

// What lacks something when this table is left out.
function headerPath(table: string): ConfigPath | undefined {
  const [, keys] = /^[ \t]*\[+([^\]\r\n]*)/.exec(table) ?? [];
  if (keys === undefined) return undefined;
  try {
    const [item] = parseTOML(`[${keys}]`).body[0].body;
    return item?.type === "TOMLTable" ? item.resolvedKey : undefined;
  } catch {
    // The header itself is broken, so that this is the best guess.
    return keys.split(".").map((key) => key.trim());
  }
}

function toTree(program: AST.TOMLProgram, walk: Walk): ConfigNode {
  const [top] = program.body;
  const root: ConfigNode = { data: new Map(), start: 0, end: program.range[1], children: new Map() };
  for (const item of top.body) {
    if (item.type === "TOMLKeyValue") {
      putMember(root, item, walk);
      continue;
    }
    const parts = partsOf(item);
    if (isTooDeep(parts, item, walk)) continue;
    const table = nodeFor(root, parts);
    for (const member of item.body) putMember(table, member, walk);
    table.end = item.range[1];
  }
  return root;
}

interface Part {
  readonly name: string;
  readonly start: number;
  /** Whether it is an item of a list of tables. */
  readonly isItem: boolean;
}

function partsOf(table: AST.TOMLTable): readonly Part[] {
  const starts = table.key.keys.map(({ range }) => range[0]);
  let named = -1;
  return table.resolvedKey.map((part) => {
    const isItem = typeof part === "number";
    if (!isItem) named++;
    return { name: String(part), start: starts[named] ?? table.range[0], isItem };
  });
}

function keysOf(key: AST.TOMLKey): readonly Part[] {
  return key.keys.map((part) => ({
    name: part.type === "TOMLBare" ? part.name : part.value,
    start: part.range[0],
    isItem: false,
  }));
}

function putMember(table: ConfigNode, member: AST.TOMLKeyValue, walk: Walk): void {
  const parts = keysOf(member.key);
  if (!isTooDeep(parts, member, walk)) setAt(table, parts, toNode(member.value, walk));
}

function isTooDeep(
  parts: readonly Part[],
  { range: [start] }: AST.TOMLNode,
  { limits: { maxDepth }, faults }: Walk,
): boolean {
  if (parts.length <= maxDepth) return false;
  if (!faults.some(({ code }) => code === "too_deep")) faults.push(tooDeepFault(start, maxDepth));
  return true;
}

function setAt(root: ConfigNode, parts: readonly Part[], value: ConfigNode): void {
  const last = parts.at(-1);
  if (last === undefined) return;
  put(nodeFor(root, parts.slice(0, -1)), last, value);
}

function nodeFor(root: ConfigNode, parts: readonly Part[]): ConfigNode {
  let node = root;
  for (const [index, part] of parts.entries()) {
    const known = node.children?.get(part.name);
    const isList = parts[index + 1]?.isItem === true;
    const next = known ?? { data: isList ? [] : new Map(), start: part.start, end: part.start, children: new Map() };
    if (known === undefined) put(node, part, next);
    node = next;
  }
  return node;
}

function put(parent: ConfigNode, part: Part, child: ConfigNode): void {
  child.name ??= part.start;
  parent.children ??= new Map();
  parent.children.set(part.name, child);
  if (Array.isArray(parent.data)) (parent.data as ConfigData[]).push(child.data);
  else (parent.data as Map<string, ConfigData>).set(part.name, child.data);
}

function toNode(value: AST.TOMLContentNode, walk: Walk): ConfigNode {
  const [start] = value.range;
  const { maxEntries, maxDepth } = walk.limits;
  walk.entries++;
  if (walk.entries > maxEntries) return stop(value, walk, tooManyFault(start, maxEntries));
  if (walk.depth >= maxDepth) return stop(value, walk, tooDeepFault(start, maxDepth));
  walk.depth++;
  const node = readNode(value, walk);
  walk.depth--;
  return node;
}

// One fault of a kind is enough.
function stop({ range: [start, end] }: AST.TOMLContentNode, { faults }: Walk, fault: TextFault): ConfigNode {
  if (!faults.some(({ code }) => code === fault.code)) faults.push(fault);
  return { data: null, start, end };
}

function readNode(value: AST.TOMLContentNode, walk: Walk): ConfigNode {
  const [start, end] = value.range;
  if (value.type === "TOMLArray") {
    const items = value.elements.map((element) => toNode(element, walk));
    const children = new Map(items.map((item, index) => [String(index), item]));
    return { data: items.map(({ data }) => data), start, end, children };
  }
  if (value.type === "TOMLInlineTable") {
    const table: ConfigNode = { data: new Map(), start, end, children: new Map() };
    for (const member of value.body) putMember(table, member, walk);
    return table;
  }
  return { data: scalarData(value), start, end };
}

function scalarData(value: AST.TOMLValue): ConfigData {
  switch (value.kind) {
    case "string":
    case "boolean":
    case "integer":
    case "float":
      return value.value;
    default:
      return value.datetime;
  }
}
