// What stands for a secret or for the id of a session in a recording.
const placeholder = /\[(?:secret|session):\d{1,9}\]/g;

/** The texts around the placeholders of a text; one alone when there are none. */
export function textsAround(text: string): readonly string[] {
  return text.includes("[se") ? text.split(placeholder) : [text];
}

/**
 * Whether a text is what a recorded one says, where each placeholder stands for any text. Linear in
 * the length of both.
 */
export function fitsPlaceholders(recorded: string, live: string): boolean {
  const parts = textsAround(recorded);
  const [first = ""] = parts;
  if (parts.length === 1) return recorded === live;
  const last = parts.at(-1) ?? "";
  if (!live.startsWith(first) || live.length < first.length + last.length || !live.endsWith(last)) return false;
  const end = live.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = live.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
