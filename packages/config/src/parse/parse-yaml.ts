import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import type { ConfigData, ConfigNode, ParsedTree, ParseLimits, TextFault } from "./config-data.ts";
import { duplicate, tooDeepFault, tooManyFault } from "./parse-json.ts";

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

/** YAML 1.2, one document. */
export function parseYaml(text: string, limits: ParseLimits): ParsedTree {
  let document: Document;
  try {
    // Without its own look for names that come twice, which takes the square of their number.
    // With "silent", nothing would be said of a second document.
    document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: "error", stringKeys: false });
  } catch (error) {
    // The parser recurses.
    if (!(error instanceof RangeError)) throw error;
    return { root: undefined, faults: [tooDeepFault(0, limits.maxDepth)] };
  }
  const faults: TextFault[] = document.errors.map(({ code, message, pos }) => ({
    offset: pos[0],
    code: "invalid_syntax",
    message: messages[code] ?? withoutSource(message),
    // The first document is whole all the same.
    breaks: code !== "MULTIPLE_DOCS",
  }));
  const walk: Walk = { limits, faults, open: new Set(), anchors: new Map(), following: 0, entries: 0 };
  return { root: toNode(document.contents, walk), faults };
}

const messages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "begins a second document, which is not read",
};

// Some messages end with the text that they are about, which may be a secret.
function withoutSource(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return line.replace(/: "(?:[^"\\]|\\.)*"?$/, "");
}

function toNode(node: Node | null | undefined, walk: Walk): ConfigNode | undefined {
  if (node === null || node === undefined) return undefined;
  const [start, end] = [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
  walk.entries++;
  if (walk.entries > walk.limits.maxEntries) return stop(walk, tooManyFault(start, walk.limits.maxEntries));
  if (walk.open.size >= walk.limits.maxDepth) return stop(walk, tooDeepFault(start, walk.limits.maxDepth));
  const meant = isAlias(node) ? walk.anchors.get(node.source) : node;
  if (meant === undefined) {
    walk.faults.push({ offset: start, code: "invalid_syntax", message: "names no anchor", breaks: true });
    return { data: null, start, end };
  }
  if (walk.open.has(meant)) {
    return stop(walk, { offset: start, code: "cyclic_alias", message: "is an alias for what it is in", breaks: true });
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

// One fault is enough: a laughing file would have a billion. It is said before all others.
function stop(walk: Walk, fault: TextFault): undefined {
  if (!walk.faults.some(({ code }) => code === fault.code)) walk.faults.unshift(fault);
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
    if (!isScalar(label)) {
      walk.faults.push({
        offset,
        code: "invalid_syntax",
        message: "the name of a member must be a text",
        breaks: true,
      });
      continue;
    }
    const name = nameOf(label.value, label.source);
    if (isScalar(label) && label.anchor !== undefined) walk.anchors.set(label.anchor, label);
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
