import type { Edit, Node } from "jsonc-parser";
import type { JsonValue } from "@hostside/core";
import { formatValue, gapAfter, indentAt, isLineStart, type JsonStyle } from "./json-style.ts";

/** A node of a text that is edited. */
export interface EditedNode {
  readonly text: string;
  readonly node: Node;
  readonly style: JsonStyle;
}

/** Puts a value in the place of another one. */
export function replaceValue({ text, node, style }: EditedNode, value: JsonValue): Edit {
  const indent = style.isOneLine ? undefined : indentAt(text, node.offset);
  return { offset: node.offset, length: node.length, content: formatValue(value, style, indent) };
}

/**
 * Adds a value at the end of an object, under a name, or of a list. (The `modify` of the library
 * would put it before the comment that belongs to the last member, and lays out the whole line
 * anew.)
 */
export function insertInto(edited: EditedNode, name: string | undefined, value: JsonValue): readonly Edit[] {
  const last = edited.node.children?.at(-1);
  const write = (indent: string | undefined): string => {
    const key = name === undefined ? "" : `${JSON.stringify(name)}:${edited.style.space}`;
    return `${key}${formatValue(value, edited.style, indent)}`;
  };
  return last === undefined ? insertFirst(edited, write) : insertAfter(edited, last, write);
}

type Write = (indent: string | undefined) => string;

function insertFirst({ text, node, style }: EditedNode, write: Write): readonly Edit[] {
  const { comments } = gapAfter(text, node.offset + 1);
  const last = comments.at(-1);
  const close = node.offset + node.length - 1;
  const from = last?.end ?? node.offset + 1;
  if (style.isOneLine && last === undefined) return [{ offset: from, length: close - from, content: write(undefined) }];
  const indent = indentAt(text, node.offset);
  const inner = `${indent}${style.unit}`;
  return [{ offset: from, length: close - from, content: `${style.eol}${inner}${write(inner)}${style.eol}${indent}` }];
}

function insertAfter({ text, style }: EditedNode, last: Node, write: Write): readonly Edit[] {
  const end = last.offset + last.length;
  const { comma, comments } = gapAfter(text, end);
  // What stands behind the last one in its line is about it.
  const own = comments.filter(({ start }) => !/[\r\n]/.test(text.slice(end, start))).at(-1);
  const offset = Math.max(own?.end ?? 0, comma === undefined ? end : comma + 1);
  const ownLine = isLineStart(text, last.offset) || comments.some((one) => one.isLine && one.end <= offset);
  const indent = indentAt(text, last.offset);
  const place = ownLine ? `${style.eol}${indent}` : style.space;
  const content = `${place}${write(ownLine ? indent : undefined)}${comma === undefined ? "" : ","}`;
  const added: Edit = { offset, length: 0, content };
  if (comma !== undefined) return [added];
  // One edit where both are in one place: two at one offset have no order.
  return offset === end ? [{ ...added, content: `,${content}` }] : [{ offset: end, length: 0, content: "," }, added];
}
