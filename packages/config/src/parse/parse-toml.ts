import { ParseError, parseTOML, type AST } from "toml-eslint-parser";
import type { ConfigData, ConfigNode, ParsedTree, ParseLimits, TextFault } from "./config-data.ts";
import { tooDeepFault, tooManyFault } from "./parse-json.ts";

interface Walk {
  readonly limits: ParseLimits;
  readonly faults: TextFault[];
  entries: number;
  depth: number;
}

/** TOML 1.0. Nothing of a broken text is read. */
export function parseToml(text: string, limits: ParseLimits): ParsedTree {
  const faults: TextFault[] = [];
  try {
    return { root: toTree(parseTOML(text, { tomlVersion: "1.0" }), { limits, faults, entries: 0, depth: 0 }), faults };
  } catch (error) {
    // The parser recurses.
    if (error instanceof RangeError) return { root: undefined, faults: [tooDeepFault(0, limits.maxDepth)] };
    if (!(error instanceof ParseError)) throw error;
    const { index: offset, message } = error;
    return { root: undefined, faults: [{ offset, code: "invalid_syntax", message, breaks: true }] };
  }
}

function toTree({ body: [top], range }: AST.TOMLProgram, walk: Walk): ConfigNode {
  const root = newTable(0, range[1]);
  for (const item of top.body) {
    if (item.type === "TOMLKeyValue") putMember(root, item, walk);
    else if (!isTooDeep(item.resolvedKey.length, item.range[0], walk)) {
      const table = tableAt(root, item.resolvedKey, item.range[0]);
      for (const member of item.body) putMember(table, member, walk);
      table.end = item.range[1];
    }
  }
  return root;
}

function newTable(start: number, end: number): ConfigNode {
  return { data: new Map(), start, end, children: new Map() };
}

type Key = readonly (string | number)[];

/** The table at a path, which is made where it is missing. A number is the index of a list. */
function tableAt(root: ConfigNode, key: Key, start: number): ConfigNode {
  return key.reduce<ConfigNode>((node, part, index) => {
    const known = node.children?.get(String(part));
    if (known !== undefined) return known;
    const made = newTable(start, start);
    if (typeof key[index + 1] === "number") made.data = [];
    return put(node, part, made);
  }, root);
}

function putMember(table: ConfigNode, { key: { keys }, value, range: [start] }: AST.TOMLKeyValue, walk: Walk): void {
  if (isTooDeep(keys.length, start, walk)) return;
  const key = keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
  const node = toNode(value, walk);
  node.name = start;
  put(tableAt(table, key.slice(0, -1), start), key.at(-1) ?? "", node);
}

function put(parent: ConfigNode, part: string | number, child: ConfigNode): ConfigNode {
  child.name ??= child.start;
  parent.children?.set(String(part), child);
  if (Array.isArray(parent.data)) (parent.data as ConfigData[]).push(child.data);
  else (parent.data as Map<string, ConfigData>).set(String(part), child.data);
  return child;
}

function isTooDeep(depth: number, start: number, walk: Walk): boolean {
  if (depth > walk.limits.maxDepth) stop(walk, tooDeepFault(start, walk.limits.maxDepth));
  return depth > walk.limits.maxDepth;
}

// One fault of a kind is enough.
function stop({ faults }: Walk, fault: TextFault): void {
  if (!faults.some(({ code }) => code === fault.code)) faults.push(fault);
}

function toNode(value: AST.TOMLContentNode, walk: Walk): ConfigNode {
  const [start, end] = value.range;
  const { maxEntries } = walk.limits;
  walk.entries++;
  if (walk.entries > maxEntries) stop(walk, tooManyFault(start, maxEntries));
  if (walk.entries > maxEntries || isTooDeep(walk.depth + 1, start, walk)) return { data: null, start, end };
  walk.depth++;
  const node = readNode(value, walk);
  walk.depth--;
  return node;
}

function readNode(value: AST.TOMLContentNode, walk: Walk): ConfigNode {
  const [start, end] = value.range;
  if (value.type === "TOMLArray") {
    const list: ConfigNode = { data: [], start, end, children: new Map() };
    for (const [index, element] of value.elements.entries()) put(list, index, toNode(element, walk));
    return list;
  }
  if (value.type === "TOMLInlineTable") {
    const table = newTable(start, end);
    for (const member of value.body) putMember(table, member, walk);
    return table;
  }
  return { data: "datetime" in value ? value.datetime : value.value, start, end };
}
