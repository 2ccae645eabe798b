import { ParseError, parseTOML, type AST } from "toml-eslint-parser";
import {
  BrokenTextError,
  tooDeep,
  tooMany,
  type ConfigData,
  type ConfigNode,
  type ParsedTree,
  type ParseLimits,
} from "./config-data.ts";

interface Walk {
  readonly limits: ParseLimits;
  entries: number;
  depth: number;
}

/** TOML 1.0. Throws `BrokenTextError`. */
export function parseToml(text: string, limits: ParseLimits): ParsedTree {
  try {
    return { root: toTree(parseTOML(text, { tomlVersion: "1.0" }), { limits, entries: 0, depth: 0 }), faults: [] };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new BrokenTextError({ offset: error.index, code: "invalid_syntax", message: error.message });
  }
}

function toTree({ body: [top], range }: AST.TOMLProgram, walk: Walk): ConfigNode {
  const root = newTable(0, range[1]);
  for (const item of top.body) {
    if (item.type === "TOMLKeyValue") putMember(root, item, walk);
    else {
      assertDepth(item.resolvedKey.length, item.range[0], walk);
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
  assertDepth(keys.length, start, walk);
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

function assertDepth(depth: number, start: number, { limits }: Walk): void {
  if (depth > limits.maxDepth) throw tooDeep(start, limits);
}

function toNode(value: AST.TOMLContentNode, walk: Walk): ConfigNode {
  walk.entries++;
  if (walk.entries > walk.limits.maxEntries) throw tooMany(value.range[0], walk.limits);
  walk.depth++;
  assertDepth(walk.depth, value.range[0], walk);
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
