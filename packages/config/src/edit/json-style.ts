import { createScanner, type Node } from "jsonc-parser";
import type { JsonValue } from "@hostside/core";
import { token } from "../parse/parse-json.ts";

/** The layout of a text. */
export interface JsonStyle {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** All of it stands on one line. */
  readonly isOneLine: boolean;
  /** After a colon and a comma: `""` in a text without spaces. */
  readonly space: "" | " ";
}

const longestLine = 100;

/**
 * The layout of a text, by its first line end and the first member of the root that begins a line.
 */
export function readStyle(text: string, root: Node): JsonStyle {
  const [eol = "\n"] = /\r\n|\n|\r/.exec(text) ?? [];
  const children = root.children ?? [];
  const first = children.find(({ offset }) => isLineStart(text, offset));
  const unit = first === undefined ? "" : indentAt(text, first.offset);
  const isOneLine = children.length > 0 && !/[\r\n]/.test(text.slice(root.offset, root.offset + root.length));
  const colon = children[0]?.colonOffset;
  const isTight = isOneLine && colon !== undefined && !/\s/.test(text.charAt(colon + 1));
  return { eol, unit: unit === "" ? "  " : unit, isOneLine, space: isTight ? "" : " " };
}

/** The white space at the beginning of the line that an offset is in. */
export function indentAt(text: string, offset: number): string {
  return /^[\t ]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

/** True if nothing but white space stands before an offset in its line. */
export function isLineStart(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

/** The offset at which the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}

/**
 * A value as JSON in a text's layout; `indent` is that of the line that it begins in, and
 * `undefined` where all is to stand on one line.
 */
export function formatValue(value: JsonValue, { eol, unit, space }: JsonStyle, indent: string | undefined): string {
  const line = formatLine(value, space);
  const isFlat = typeof value !== "object" || value === null || isShortList(value, line);
  if (isFlat || indent === undefined) return line;
  const inner = `${indent}${unit}`;
  const style: JsonStyle = { eol, unit, space, isOneLine: false };
  const parts = Array.isArray(value)
    ? (value as readonly JsonValue[]).map((item) => formatValue(item, style, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}: ${formatValue(member as JsonValue, style, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  return `${open}${eol}${parts.map((part) => `${inner}${part}`).join(`,${eol}`)}${eol}${indent}${close}`;
}

function isShortList(value: object, line: string): boolean {
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  return isPlain && line.length <= longestLine;
}

function formatLine(value: JsonValue, space: string): string {
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map((item) => formatLine(item, space)).join(`,${space}`)}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${space}${formatLine(member as JsonValue, space)}`);
  return members.length === 0 || space === "" ? `{${members.join(`,${space}`)}}` : `{ ${members.join(`,${space}`)} }`;
}

/** The text between a value and the next one, or the end of their container. */
export interface Gap {
  readonly comma: number | undefined;
  readonly comments: readonly Comment[];
}

/** A comment, by its place. */
export interface Comment {
  readonly start: number;
  readonly end: number;
  readonly isLine: boolean;
}

/** Reads what stands after an offset that is behind a value, or behind an opening bracket. */
export function gapAfter(text: string, offset: number): Gap {
  const scanner = createScanner(text);
  scanner.setPosition(offset);
  const comments: Comment[] = [];
  let comma: number | undefined;
  for (let kind: number = scanner.scan(); ; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    if (kind === token.lineComment || kind === token.blockComment) {
      comments.push({ start, end: start + scanner.getTokenLength(), isLine: kind === token.lineComment });
    } else if (kind === token.comma && comma === undefined) comma = start;
    else if (kind !== token.lineBreak && kind !== token.trivia) return { comma, comments };
  }
}
