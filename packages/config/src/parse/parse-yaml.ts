import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node } from "yaml";
import {
  BrokenTextError,
  tooDeep,
  tooMany,
  type ConfigData,
  type ConfigNode,
  type ParsedTree,
  type ParseLimits,
  type TextFault,
} from "./config-data.ts";
import { duplicate } from "./parse-json.ts";

interface Walk {
  readonly limits: ParseLimits;
  readonly faults: TextFault[];
  /** The nodes that are being read, outermost first: an alias for one of these never ends. */
  readonly open: Set<Node>;
  /**
   * The latest node of each anchor. The library would look through the whole document for each
   * alias.
   */
  readonly anchors: Map<string, Node>;
  /** The number of aliases that are being followed: what they stand for has its anchors already. */
  following: number;
  entries: number;
}

/** YAML 1.2, one document. Throws `BrokenTextError`. */
export function parseYaml(text: string, limits: ParseLimits): ParsedTree {
  // Without its own look for names that come twice, which takes the square of their number.
  // With "silent", nothing would be said of a second document.
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: "error", stringKeys: false } as const;
  const { contents, errors } = parseDocument(text, options);
  const walk: Walk = { limits, faults: [], open: new Set(), anchors: new Map(), following: 0, entries: 0 };
  const root = toNode(contents, walk);
  for (const { code, message, pos } of errors) {
    if (code !== "MULTIPLE_DOCS") throw invalid(pos[0], withoutSource(message));
    const second = "begins a second document, which is not read";
    walk.faults.push({ offset: pos[0], code: "invalid_syntax", message: second });
  }
  return { root, faults: walk.faults };
}

function invalid(offset: number, message: string): BrokenTextError {
  return new BrokenTextError({ offset, code: "invalid_syntax", message });
}

// Some messages end with the text that they are about, which may be a secret.
function withoutSource(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return line.replace(/: "(?:[^"\\]|\\.)*"?$/, "");
}

function toNode(node: Node | null | undefined, walk: Walk): ConfigNode | undefined {
  if (node === null || node === undefined) return undefined;
  const [start, end] = [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
  walk.entries++;
  if (walk.entries > walk.limits.maxEntries) throw tooMany(start, walk.limits);
  if (walk.open.size >= walk.limits.maxDepth) throw tooDeep(start, walk.limits);
  const meant = isAlias(node) ? walk.anchors.get(node.source) : node;
  if (meant === undefined) throw invalid(start, "names no anchor");
  if (walk.open.has(meant)) {
    throw new BrokenTextError({ offset: start, code: "cyclic_alias", message: "is an alias for what it is in" });
  }
  const { anchor } = meant as { readonly anchor?: string };
  if (anchor !== undefined && walk.following === 0) walk.anchors.set(anchor, meant);
  walk.open.add(meant);
  if (isAlias(node)) walk.following++;
  const read = readNode(meant, walk);
  if (isAlias(node)) walk.following--;
  walk.open.delete(meant);
  return { ...read, start, end };
}

function readNode(node: Node, walk: Walk): Pick<ConfigNode, "children" | "data"> {
  if (isScalar(node)) return { data: scalarData(node.value, node.source) };
  const children = new Map<string, ConfigNode>();
  if (isSeq(node)) {
    const items = node.items.map((item) => toNode(item as Node, walk)).filter((item) => item !== undefined);
    for (const [index, item] of items.entries()) children.set(String(index), item);
    return { data: items.map(({ data }) => data), children };
  }
  if (!isMap(node)) return { data: null };
  const data = new Map<string, ConfigData>();
  for (const { key, value } of node.items) {
    const label = isAlias(key) ? walk.anchors.get(key.source) : key;
    const [offset] = (key as Node | null)?.range ?? [0];
    if (!isScalar(label)) throw invalid(offset, "the name of a member must be a text");
    const name = nameOf(label.value, label.source);
    if (label.anchor !== undefined) walk.anchors.set(label.anchor, label);
    if (children.has(name)) walk.faults.push(duplicate(name, offset));
    const child = toNode(value as Node | null, walk) ?? { data: null, start: offset, end: offset };
    child.name = offset;
    data.set(name, child.data);
    children.set(name, child);
  }
  return { data, children };
}

// As it is written: the name of a server may look like a number.
function nameOf(value: unknown, source: string | undefined): string {
  return typeof value === "string" ? value : (source ?? String(value));
}

function scalarData(value: unknown, source: string | undefined): ConfigData {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return value;
  return source ?? null;
}
