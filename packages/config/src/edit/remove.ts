import type { Edit, Node } from "jsonc-parser";
import { gapAfter, isLineStart, lineStart } from "./json-style.ts";

/**
 * Takes a member out of an object, or an item out of a list, with its comma and the lines that it
 * leaves empty. Comments around it stay. (The `modify` of the library would remove those behind the
 * member before.)
 */
export function removeFrom(text: string, parent: Node, child: Node): readonly Edit[] {
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
