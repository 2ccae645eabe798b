import { replaceUnseen } from "@hostside/core/implement";

/**
 * A text for a terminal, of a server's or a host's: what would move its cursor, turn its direction
 * or not be seen is shown as an escape, because it may be what is wrong.
 */
export function showEscapes(text: string): string {
  return replaceUnseen(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xff_ff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** The same for each text in some data. */
export function showEscapesIn<T>(data: T): T {
  return showIn(data) as T;
}

function showIn(data: unknown): unknown {
  if (typeof data === "string") return showEscapes(data);
  if (Array.isArray(data)) return data.map(showIn);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, member]) => [name, showIn(member)]));
}
