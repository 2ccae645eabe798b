import { cleanText } from "@hostside/core";
import { readSentences } from "./read-sentences.ts";

/**
 * What a text of a server says, in at most `maxLength` UTF-16 units: the text itself when it is as
 * short as that, else whole sentences from the first one that says what the thing does, past
 * headings, pictures and rules of conduct. A sentence that is too long is cut where a clause ends,
 * never inside a word, and ends with `…`.
 */
export function excerptOf(text: string, maxLength: number): string {
  const whole = cleanText(text.trim(), maxLength);
  if (text.trim().length <= maxLength && !whole.includes("\n")) return whole;
  const sentences = readSentences(text);
  const first = Math.max(
    0,
    sentences.findIndex(({ isAside }) => !isAside),
  );
  const said = sentences[first]?.text ?? "";
  let excerpt = cutClause(said, maxLength);
  for (const { text: next, isAside } of sentences.slice(first + 1)) {
    if (isAside || next.endsWith(":") || said.length + 1 > maxLength || excerpt.length + 1 + next.length > maxLength)
      break;
    excerpt += ` ${next}`;
  }
  return excerpt === "" ? whole : excerpt;
}

/** The first sentence that says what something is or does, in at most `maxLength` units. */
export function firstSentence(text: string, maxLength: number): string {
  const sentences = readSentences(text);
  return cutClause((sentences.find(({ isAside }) => !isAside) ?? sentences[0])?.text ?? "", maxLength);
}

/** A text of at most `maxLength` units, cut at the end of a clause, or else of a word. */
export function cutClause(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, maxLength - 1);
  const clause = Math.max(...[", ", "; ", ": ", " — ", " – ", " - ", " (", ". "].map((mark) => head.lastIndexOf(mark)));
  const word = head.lastIndexOf(" ");
  const end = clause >= maxLength / 2 ? clause : word;
  // A single word of that length is cut like any other text.
  return end < maxLength / 3 ? cleanText(text, maxLength) : `${head.slice(0, end).trimEnd()}…`;
}
