import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { quoteText } from "@hostside/core/implement";
import type { ConfigData, ConfigNode, ParsedTree, ParseLimits, TextFault } from "./config-data.ts";

/** JSON with comments and trailing commas, and as much of a broken text as can be read. */
export function parseJsonTree(text: string, limits: ParseLimits): ParsedTree {
  const fault = findExcess(text, limits);
  if (fault !== undefined) return { root: undefined, faults: [fault] };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  // Where a text breaks off, everything that is open says so.
  const found = errors.filter(({ offset }, index) => offset !== errors[index - 1]?.offset);
  const faults: TextFault[] = found.map(({ error, offset }) => {
    const name = printParseErrorCode(error);
    // What lacks a comma before it may be whole itself.
    const between = name === "CommaExpected";
    return { offset, code: "invalid_syntax", message: describeError(name), breaks: true, between };
  });
  return { root: tree === undefined ? undefined : toNode(tree, faults), faults };
}

// The parser recurses, so that depth is counted first; and how much there is. Nothing here
// recurses.
function findExcess(text: string, { maxDepth, maxEntries }: ParseLimits): TextFault | undefined {
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
    if (depth > maxDepth) return tooDeepFault(scanner.getTokenOffset(), maxDepth);
    if (entries > maxEntries) return tooManyFault(scanner.getTokenOffset(), maxEntries);
  }
  return undefined;
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
    if (key === undefined) continue;
    const name = String(key.value);
    if (children.has(name)) faults.push(duplicate(name, key.offset));
    // A name without a value is what a broken text ends with.
    if (value === undefined) continue;
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
    breaks: false,
  };
}

/** A text that nests more than is read. */
export function tooDeepFault(offset: number, maxDepth: number): TextFault {
  return { offset, code: "too_deep", message: `is nested more than ${maxDepth} deep`, breaks: true };
}

/** A text with more in it than is read. */
export function tooManyFault(offset: number, maxEntries: number): TextFault {
  return { offset, code: "too_many_entries", message: `has more than ${maxEntries} values`, breaks: true };
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
