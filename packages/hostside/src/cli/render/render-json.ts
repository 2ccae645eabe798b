import { replaceUnseen } from "@hostside/core/implement";
import type { Terminal } from "../terminal.ts";

/**
 * JSON for people: indented by two, keys coloured, and whatever a terminal would obey or not show
 * as an escape.
 */
export function renderJson(value: unknown, { paint }: Pick<Terminal, "paint">): readonly string[] {
  return jsonText(value)
    .split("\n")
    .map((shown) => {
      const key = /^(\s*)("(?:[^"\\]|\\.)*")(?=:)/.exec(shown);
      if (key === null) return shown;
      const [whole, blanks = "", name = ""] = key;
      return `${blanks}${paint("name", name)}${shown.slice(whole.length)}`;
    });
}

/**
 * JSON, indented by two, in which no character is one that a terminal obeys or does not show. What
 * is parsed of it is the value.
 */
export function jsonText(value: unknown): string {
  // JSON.stringify() escapes U+0000 to U+001F alone.
  return replaceUnseen(JSON.stringify(value, undefined, 2) ?? "null", (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
