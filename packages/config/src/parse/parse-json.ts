import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { quoteText } from "@hostside/core/implement";
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

/** JSON with comments and trailing commas. Throws `BrokenTextError`. */
export function parseJsonTree(text: string, limits: ParseLimits): ParsedTree {
  assertWithin(text, limits);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const message = first === undefined ? "has no value" : describeError(printParseErrorCode(first.error));
    throw new BrokenTextError({ offset: first?.offset ?? 0, code: "invalid_syntax", message });
  }
  const faults: TextFault[] = [];
  return { root: toNode(tree, faults), faults };
}

// The parser recurses, so that depth is counted first; and how much there is. Nothing here
// recurses.
function assertWithin(text: string, limits: ParseLimits): void {
  const scanner = createScanner(text);
  let depth = 0;
  let entries = 0;
  let before: number = token.comma;
  for (let kind: number = scanner.scan(); kind !== token.end; kind = scanner.scan()) {
    if (kind >= token.lineComment && kind <= token.trivia) continue;
    const opens = kind === token.openBrace || kind === token.openBracket;
    if (opens) depth++;
    if (kind === token.closeBrace || kind === token.closeBracket) depth--;
    // In a broken text, what lacks the comma before it is a value, too: each costs a fault and
    // more.
    if (opens || kind === token.comma || (isValue(kind) && !leads(before))) entries++;
    before = kind;
    if (depth > limits.maxDepth) throw tooDeep(scanner.getTokenOffset(), limits);
    if (entries > limits.maxEntries) throw tooMany(scanner.getTokenOffset(), limits);
  }
}

// `null`, `true`, `false`, texts, numbers, and what is nothing of JSON.
function isValue(kind: number): boolean {
  return (kind > token.colon && kind < token.lineComment) || kind === token.unknown;
}

function leads(kind: number): boolean {
  return kind === token.comma || kind === token.colon || kind === token.openBrace || kind === token.openBracket;
}

function toNode(tree: Node, faults: TextFault[]): ConfigNode {
  const place = { start: tree.offset, end: tree.offset + tree.length };
  if (tree.type === "array") {
    const items = (tree.children ?? []).map((child) => toNode(child, faults));
    const children = new Map(items.map((item, index) => [String(index), item]));
    return { data: items.map(({ data }) => data), ...place, children };
  }
  if (tree.type !== "object") return { data: tree.value as ConfigData, ...place };
  const data = new Map<string, ConfigData>();
  const children = new Map<string, ConfigNode>();
  for (const { children: [key, value] = [] } of tree.children ?? []) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (children.has(name)) faults.push(duplicate(name, key.offset));
    const node = toNode(value, faults);
    node.name = key.offset;
    data.set(name, node.data);
    children.set(name, node);
  }
  return { data, ...place, children };
}

function describeError(code: string): string {
  return code.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

/** The same name twice in one object: the last one counts, as in every parser of JSON. */
export function duplicate(name: string, offset: number): TextFault {
  return {
    offset,
    code: "duplicate_key",
    message: `${quoteText(name, 80)} is here a second time; the last one counts`,
  };
}

/**
 * Kinds of tokens, as numbers: the enumeration of the library is a `const enum`, which is gone at
 * run time.
 */
export const token = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  trivia: 15,
  unknown: 16,
  end: 17,
} as const;
