import type { Terminal } from "../terminal.ts";

/** JSON for people: indented by two, keys coloured, and whatever a terminal would obey or not show as an escape. */
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

// JSON.stringify() escapes U+0000 to U+001F alone; the others reach a terminal, which obeys some of them and hides the rest.
const odd =
  /[\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|[\uDB40-\uDB43][\uDC00-\uDFFF]/g;

/** JSON, indented by two, in which no character is one that a terminal obeys or does not show. What is parsed of it is the value. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? "null").replaceAll(odd, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );
}
