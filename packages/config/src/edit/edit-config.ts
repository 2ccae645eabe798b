import { applyEdits, parseTree, type Edit, type Node } from "jsonc-parser";
import type { JsonValue } from "@hostside/core";
import { formatPath, type ConfigPath } from "../parse/config-data.ts";
import { parseConfig } from "../parse/parse-config.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";
import { placeProblem } from "../parse/problem-list.ts";
import { readStyle, gapAfter, isLineStart, lineStart, formatValue, indentAt, type JsonStyle } from "./json-style.ts";

/** One change of a configuration. */
export interface ConfigEdit {
  /**
   * The place of the change; not the whole. Objects on the way that are not there are made; the
   * index behind the end of a list appends to it.
   */
  readonly path: ConfigPath;
  /** The new value; `undefined` removes it. */
  readonly value: JsonValue | undefined;
}

/** The text after all edits; or why nothing was changed. */
export type EditedConfig = { readonly text: string } | { readonly problem: ConfigProblem };

/**
 * Changes a text in JSON or JSONC and leaves everything else of it as it is: comments, order,
 * trailing commas, line ends, indentation, a byte order mark. Comments inside of what is replaced
 * or removed go with it. Of a name that stands twice in an object the last is changed, because it
 * is the one that counts; all of them are removed. A blank text counts as `{}`.
 *
 * A text that is broken anywhere, or where something else than an object or a list is on the way,
 * is not changed: a problem with its place. Throws a `TypeError` for an empty path.
 */
export function editConfig(
  written: string,
  edits: readonly ConfigEdit[],
  { file }: { readonly file?: string | undefined } = {},
): EditedConfig {
  const mark = written.startsWith("\uFEFF") ? "\uFEFF" : "";
  let text = written.slice(mark.length);
  for (const edit of edits) {
    if (edit.path.length === 0) throw new TypeError("path must name a member");
    const edited = editOnce(text, edit, file);
    if ("problem" in edited) return edited;
    text = edited.text;
  }
  return { text: `${mark}${text}` };
}

function editOnce(written: string, { path, value }: ConfigEdit, file: string | undefined): EditedConfig {
  const text = written.trim() === "" ? "{}\n" : written;
  const parsed = parseConfig(text, { format: "json", file });
  const broken = parsed.problems.find(({ severity }) => severity === "error");
  if (broken !== undefined) return { problem: broken };
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new TypeError("a text without a fault has a root");
  const plan = planEdit(text, root, { path, value });
  if ("obstacle" in plan) {
    const problem = { path: plan.path, severity: "error", code: "wrong_type", message: plan.obstacle } as const;
    return { problem: placeProblem(parsed, problem) };
  }
  const edited = applyEdits(text, [...plan.edits]);
  return plan.again === true ? editOnce(edited, { path, value }, file) : { text: edited };
}

/** The edits of a text, or the obstacle to them. */
type Plan =
  | { readonly edits: readonly Edit[]; /** True if there is more of the same. */ readonly again?: boolean }
  | Obstacle;

interface Obstacle {
  readonly obstacle: string;
  readonly path: ConfigPath;
}

function planEdit(text: string, root: Node, { path, value }: ConfigEdit): Plan {
  const style = readStyle(text, root);
  let node = root;
  for (const [index, part] of path.entries()) {
    const obstacle = value === undefined && node.type === "null" ? undefined : obstacleAt(node, path, index);
    if (obstacle !== undefined) return obstacle;
    const rest = path.slice(index + 1);
    const children = childrenAt(node, part);
    const child = children.at(-1);
    if (child === undefined) {
      const name = node.type === "object" ? String(part) : undefined;
      return { edits: value === undefined ? [] : insertInto({ text, node, style }, name, nest(rest, value)) };
    }
    const inner = child.type === "property" ? (child.children?.[1] ?? child) : child;
    if (value === undefined) {
      // What stands before it under the same name would count now.
      if (rest.length === 0) return { edits: removeFrom(text, node, child), again: children.length > 1 };
    } else if (rest.length === 0 || inner.type === "null") {
      // `null` is nothing, as it is to all who read.
      return { edits: [replaceValue({ text, node: inner, style }, nest(rest, value))] };
    }
    node = inner;
  }
  return { edits: [] };
}

function obstacleAt(node: Node, path: ConfigPath, index: number): Obstacle | undefined {
  const [before, part] = [path.slice(0, index), path[index]];
  if (node.type === "object") return undefined;
  if (node.type !== "array")
    return { path: before, obstacle: `must be an object to have ${formatPath([part ?? ""])} in it` };
  const length = node.children?.length ?? 0;
  if (typeof part === "number" && Number.isInteger(part) && part >= 0 && part <= length) return undefined;
  return { path: before, obstacle: `is a list of ${length}, and has no place for ${formatPath([part ?? ""])}` };
}

function childrenAt(node: Node, part: string | number): readonly Node[] {
  if (node.type === "array") return (node.children ?? []).filter((_, index) => index === part);
  return (node.children ?? []).filter(({ children }) => children?.[0]?.value === String(part));
}

function nest(path: ConfigPath, value: JsonValue): JsonValue {
  return path.toReversed().reduce<JsonValue>((inner, part) => {
    return typeof part === "number" ? [inner] : Object.fromEntries([[part, inner]]);
  }, value);
}

/**
 * Takes a member out of an object, or an item out of a list, with its comma and the lines that it
 * leaves empty. Comments around it stay. (The `modify` of the library would remove those behind the
 * member before.)
 */
function removeFrom(text: string, parent: Node, child: Node): readonly Edit[] {
  const children = parent.children ?? [];
  const index = children.indexOf(child);
  const end = child.offset + child.length;
  const { comma } = gapAfter(text, end);
  if (comma !== undefined) {
    const isNext = text.slice(end, comma).trim() === "";
    if (isNext) return [cut(text, child.offset, comma + 1)];
    return [cut(text, child.offset, end), { offset: comma, length: 1, content: "" }];
  }
  const previous = children[index - 1];
  const before = previous === undefined ? undefined : gapAfter(text, previous.offset + previous.length).comma;
  const own = cut(text, child.offset, end);
  return before === undefined ? [own] : [{ offset: before, length: 1, content: "" }, own];
}

function cut(text: string, from: number, to: number): Edit {
  const [rest = ""] = /^[\t ]*(?:\r\n|\n|\r|$)/.exec(text.slice(to)) ?? [];
  if (rest !== "" && isLineStart(text, from)) {
    const start = lineStart(text, from);
    return { offset: start, length: to + rest.length - start, content: "" };
  }
  // Within a line: the white space on one of its sides goes, too.
  const [after = ""] = /^[\t ]*/.exec(text.slice(to)) ?? [];
  if ((text.charAt(to - 1) === "," && rest === "") || isLineStart(text, from)) {
    return { offset: from, length: to + after.length - from, content: "" };
  }
  const [before = ""] = /[\t ]*$/.exec(text.slice(lineStart(text, from), from)) ?? [];
  return { offset: from - before.length, length: to - from + before.length, content: "" };
}

/** A node of a text that is edited. */
export interface EditedNode {
  readonly text: string;
  readonly node: Node;
  readonly style: JsonStyle;
}

/** Puts a value in the place of another one. */
function replaceValue({ text, node, style }: EditedNode, value: JsonValue): Edit {
  const indent = style.isOneLine ? undefined : indentAt(text, node.offset);
  return { offset: node.offset, length: node.length, content: formatValue(value, style, indent) };
}

/**
 * Adds a value at the end of an object, under a name, or of a list. (The `modify` of the library
 * would put it before the comment that belongs to the last member, and lays out the whole line
 * anew.)
 */
function insertInto(edited: EditedNode, name: string | undefined, value: JsonValue): readonly Edit[] {
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
