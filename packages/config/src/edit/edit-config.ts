import { applyEdits, createScanner, findNodeAtLocation, modify, parseTree, type Edit, type Node } from "jsonc-parser";
import type { JsonValue } from "@hostside/core";
import { dataAt, formatPath, isConfigMap, type ConfigData, type ConfigPath } from "../parse/config-data.ts";
import { parseConfig } from "../parse/parse-config.ts";
import { token } from "../parse/parse-json.ts";
import { type ConfigProblem, placeProblem } from "../parse/config-problem.ts";

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
 * Changes a text in JSON or JSONC. Everything else of it stays: comments, order, trailing commas,
 * line ends, a byte order mark. Lines that get a new member are laid out anew. Comments inside of
 * what is replaced or removed go with it. A blank text counts as `{}`.
 *
 * A text is not changed if it is broken anywhere, if a name stands twice in an object, or if
 * something else than an object or a list is on the way: a problem with its place. Throws a
 * `TypeError` for an empty path.
 *
 * @example
 * const edited = editConfig(text, [{ path: ["servers", "files", "disabled"], value: true }]);
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
  const broken = parsed.problems.find(({ severity, code }) => severity === "error" || code === "duplicate_key");
  if (broken !== undefined) return { problem: broken };
  const obstacle = obstacleOn(parsed.data, path);
  if (obstacle !== undefined) {
    return { problem: placeProblem(parsed, { ...obstacle, severity: "error", code: "wrong_type" }) };
  }
  const root = treeOf(text);
  const child = findNodeAtLocation(root, [...path]);
  if (value === undefined) {
    // A member of an object begins with its name.
    const member = child?.parent?.type === "property" ? child.parent : child;
    return { text: member?.parent === undefined ? text : applyEdits(text, removeFrom(text, member.parent, member)) };
  }
  const formattingOptions = { ...indentationOf(text), eol: /\r\n|\n|\r/.exec(text)?.[0] ?? "\n" };
  // The innermost object or list on the way that is there.
  const owner = path.slice(
    0,
    path.findLastIndex((_, index) => findNodeAtLocation(root, path.slice(0, index))),
  );
  const last = child === undefined ? findNodeAtLocation(root, owner)?.children?.at(-1) : undefined;
  const comments = last === undefined ? [] : commentsBehind(text, last);
  const bare = applyEdits(text, comments);
  const edited = applyEdits(bare, modify(bare, [...path], value, { formattingOptions }));
  const behind = comments.map(({ offset, length }) => text.slice(offset, offset + length)).join("");
  return { text: behind === "" ? edited : putBack(edited, owner, behind) };
}

function treeOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new TypeError("a text without a fault has a root");
  return root;
}

function indentationOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, indent = "  "] = /^([\t ]+)["}\]]/m.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length };
}

/** The first value on the way that can have no such member. */
function obstacleOn(
  data: ConfigData | undefined,
  path: ConfigPath,
): { readonly path: ConfigPath; readonly message: string } | undefined {
  for (const [index, part] of path.entries()) {
    const before = path.slice(0, index);
    const owner = dataAt(data, before);
    if (owner === undefined) return undefined;
    if (isConfigMap(owner) && typeof part === "string") continue;
    const member = formatPath([part]);
    if (!Array.isArray(owner)) {
      return {
        path: before,
        message: `must be ${typeof part === "number" ? "a list" : "an object"} to have ${member} in it`,
      };
    }
    const isPlace = typeof part === "number" && Number.isInteger(part) && part >= 0 && part <= owner.length;
    if (!isPlace) return { path: before, message: `is a list of ${owner.length}, and has no place for ${member}` };
  }
  return undefined;
}

/**
 * Takes a member out of an object, or an item out of a list, with its comma and the lines that it
 * leaves empty. Comments around it stay. (The `modify` of the library would remove those behind the
 * member before.)
 */
function removeFrom(text: string, { children = [] }: Node, child: Node): Edit[] {
  const end = child.offset + child.length;
  const comma = commaAfter(text, end);
  if (comma !== undefined) {
    const isNext = text.slice(end, comma).trim() === "";
    if (isNext) return [cut(text, child.offset, comma + 1)];
    return [cut(text, child.offset, end), { offset: comma, length: 1, content: "" }];
  }
  const previous = children[children.indexOf(child) - 1];
  const before = previous === undefined ? undefined : commaAfter(text, previous.offset + previous.length);
  const own = cut(text, child.offset, end);
  return before === undefined ? [own] : [{ offset: before, length: 1, content: "" }, own];
}

/**
 * Takes away the comments behind the last member that begin on its line. (The `modify` of the
 * library would leave them behind a new one.)
 */
function commentsBehind(text: string, last: Node): Edit[] {
  const edits: Edit[] = [];
  const scanner = createScanner(text);
  let from = last.offset + last.length;
  scanner.setPosition(from);
  for (let kind: number = scanner.scan(); onLine.has(kind); kind = scanner.scan()) {
    const end = scanner.getTokenOffset() + scanner.getTokenLength();
    if (kind === token.lineComment || kind === token.blockComment)
      edits.push({ offset: from, length: end - from, content: "" });
    if (kind !== token.trivia) from = end;
  }
  return edits;
}

const onLine: ReadonlySet<number> = new Set([token.trivia, token.comma, token.lineComment, token.blockComment]);

/** Puts comments back behind the member in front of a new one, and its comma. */
function putBack(text: string, owner: ConfigPath, comments: string): string {
  const previous = findNodeAtLocation(treeOf(text), [...owner])?.children?.at(-2);
  const comma = previous && commaAfter(text, previous.offset + previous.length);
  return comma === undefined ? text : applyEdits(text, [{ offset: comma + 1, length: 0, content: comments }]);
}

/** The comma behind a value, which only comments and blanks may stand before. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return (scanner.scan() as number) === token.comma ? scanner.getTokenOffset() : undefined;
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
/** True if nothing but white space stands before an offset in its line. */
function isLineStart(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}
/** The offset at which the line of an offset begins. */
function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1;
}
