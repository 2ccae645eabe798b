/** Where a text stops being JSON. */
export interface JsonErrorPlace {
  /** From 1. */
  readonly line: number;
  /** In UTF-16 units, from 1. */
  readonly column: number;
  /** What could stand there, in words. */
  readonly expected: string;
}

type State = "value" | "first-value" | "name" | "first-name" | "colon" | "after" | "end";

const expectations: Readonly<Record<State, string>> = {
  value: "a value",
  "first-value": "a value or ]",
  name: "a name in double quotes",
  "first-name": "a name in double quotes or }",
  colon: "a colon",
  after: "a comma or the end",
  end: "nothing more",
};

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const plainText = /[^"\\\u0000-\u001F]*/y;
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Where a text stops being JSON (RFC 8259), the same in every runtime, which `JSON.parse` does not
 * say in all of them; `undefined` for a text that is JSON. Linear in its length, and goes by a list
 * of its own.
 */
export function locateJsonError(text: string): JsonErrorPlace | undefined {
  const open: ("{" | "[")[] = [];
  let state: State = "value";
  let at = skip(space, text, 0);
  while (at < text.length) {
    const character = text[at] ?? "";
    const next: number = stepOver(text, at, state);
    if (next < 0) return placeOf(text, -next - 1, state);
    if ((character === "{" || character === "[") && next === at + 1 && state !== "after") {
      open.push(character);
      state = character === "{" ? "first-name" : "first-value";
    } else if (character === "}" || character === "]") {
      if (open.pop() !== (character === "}" ? "{" : "[")) return placeOf(text, at, "after");
      state = open.length === 0 ? "end" : "after";
    } else if (character === ",") state = open.at(-1) === "{" ? "name" : "value";
    else if (character === ":") state = "value";
    else if (state === "name" || state === "first-name") state = "colon";
    else state = open.length === 0 ? "end" : "after";
    at = skip(space, text, next);
  }
  return state === "end" ? undefined : placeOf(text, at, state);
}

// The place behind what stands here, or below zero the place of what must not, less one.
function stepOver(text: string, at: number, state: State): number {
  const character = text[at] ?? "";
  const wrong = -at - 1;
  switch (state) {
    case "colon":
      return character === ":" ? at + 1 : wrong;
    case "after":
      return character === "," || character === "}" || character === "]" ? at + 1 : wrong;
    case "end":
      return wrong;
    case "name":
    case "first-name":
      if (character === "}" && state === "first-name") return at + 1;
      return character === '"' ? stepOverText(text, at) : wrong;
    default:
      if (character === "]" && state === "first-value") return at + 1;
      if (character === "{" || character === "[") return at + 1;
      if (character === '"') return stepOverText(text, at);
      return skip(scalar, text, at) > at ? skip(scalar, text, at) : wrong;
  }
}

function stepOverText(text: string, start: number): number {
  let at = skip(plainText, text, start + 1);
  while (text[at] === "\\") {
    const behind = skip(escape, text, at);
    if (behind === at) return -at - 1;
    at = skip(plainText, text, behind);
  }
  return text[at] === '"' ? at + 1 : -at - 1;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function placeOf(text: string, at: number, state: State): JsonErrorPlace {
  const before = text.slice(0, at);
  const character = text[at] ?? "";
  // Where it was not closed, or holds what must be escaped; blanks elsewhere were passed over.
  const isInText = character === "\\" || (character !== "" && character < " ");
  return {
    line: before.split("\n").length,
    column: at - before.lastIndexOf("\n"),
    expected: isInText ? "the rest of a text, with what must be escaped" : expectations[state],
  };
}
