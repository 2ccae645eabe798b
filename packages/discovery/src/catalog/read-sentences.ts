import { cleanText } from "@hostside/core";

/**
 * A sentence of a description, and whether it is beside the point: a rule, a warning, an example, a
 * list of what comes back.
 */
export interface Sentence {
  readonly text: string;
  readonly isAside: boolean;
}

// What a text is about stands in its first lines; a server decides how long it is.
const longestRead = 4000;
const longestLabel = 48;

const about = /^(?:purpose|description|summary|overview|about|what (?:it|this tool) does)$/i;
// What is said to the reader about how to behave, and not about what the thing does.
const asides =
  /^(?:important|notes?|warning|caution|attention|critical|reminder|remember|mandatory|deprecated|guardrails?|requires?|prerequisites?|always|never|do not|don't|must|please|make sure|only use|if you|ask the user|use with caution|before (?:you|using|calling)|when(?: not)? to use|(?:you|it)(?:'ll)? (?:must|should|need)|this tool (?:must|should)|use (?:this|it)(?: tool)? only)\b/i;

/**
 * The sentences at the beginning of a text that a server wrote, without headings, bullets,
 * emphasis, tags, code and pictures. What stands under a label (`Returns:`, `Guardrails:`) is an
 * aside, unless the label says that it is the purpose. Bounded, and linear in what it reads.
 */
export function readSentences(text: string): readonly Sentence[] {
  return blocksOf(cleanText(text.slice(0, longestRead * 2), longestRead)).flatMap(({ text: block, isAside }) =>
    splitSentences(block).map((sentence) => ({ text: sentence, isAside: isAside || asides.test(sentence) })),
  );
}

/** Lines that belong together, with what they are under. */
function blocksOf(text: string): readonly Sentence[] {
  const blocks: { text: string; isAside: boolean }[] = [];
  const lines = text.split("\n");
  let isUnderAside = false;
  let isOpen = false;
  let isCode = false;
  lines.forEach((line, index) => {
    if (line.trim().startsWith("```")) isCode = !isCode;
    if (isCode || line.trim().startsWith("```")) {
      isOpen = false;
      return;
    }
    const { isHeading, isItem, text: bare } = readLine(line);
    const label = labelOf(bare, isHeading || isUnderline(lines[index + 1]));
    if (bare === "" || label !== undefined) {
      // A list under a label ends where the next paragraph begins.
      if (bare !== "") isUnderAside = label !== undefined && label.isAside;
      isOpen = false;
      return;
    }
    if (!isItem && !isOpen && (lines[index - 1]?.trim() ?? "") === "") isUnderAside &&= /^\s/.test(line);
    const last = blocks.at(-1);
    if (isOpen && !isItem && last !== undefined) last.text += ` ${bare}`;
    else blocks.push({ text: withoutLabel(bare), isAside: isUnderAside });
    isOpen = true;
  });
  return blocks;
}

interface Line {
  readonly text: string;
  readonly isHeading: boolean;
  readonly isItem: boolean;
}

function readLine(line: string): Line {
  const trimmed = line.trim();
  const isHeading = trimmed.startsWith("#") || /^(?:=+|-{3,}|\*{3,})$/.test(trimmed);
  const isItem = /^(?:[-*•·]|\d{1,2}[.)])\s/.test(trimmed);
  const text = trimmed
    .replace(/^(?:<\/?[a-z][\w-]{0,40}>\s*)+/i, "")
    .replace(/<\/[a-z][\w-]{0,40}>$/i, "")
    .replace(/^(?:[#>=*•·_\s\p{Extended_Pictographic}\u200D\uFE0F\u20E3]|-+(?=\s|-|$)|\d{1,2}[.)]\s)+/u, "")
    .replaceAll(/\*\*|__/g, "");
  return { text, isHeading, isItem };
}

function isUnderline(next: string | undefined): boolean {
  return next !== undefined && /^\s*(?:=+|-{3,})\s*$/.test(next);
}

/**
 * What a line that is only a label says of the lines under it; a heading is one that says nothing.
 */
function labelOf(text: string, isHeading: boolean): { readonly isAside: boolean } | undefined {
  const name = text.replace(/\s*:$/, "").trim();
  if (about.test(name)) return { isAside: false };
  if (isHeading) return { isAside: asides.test(name) };
  return text.endsWith(":") && text.length <= longestLabel ? { isAside: true } : undefined;
}

function withoutLabel(text: string): string {
  const end = text.slice(0, longestLabel).indexOf(": ");
  return end > 0 && about.test(text.slice(0, end)) ? text.slice(end + 2) : text;
}

const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|incl|approx|[a-z])\.$/i;

function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(/[.!?]+["'`)\]]*(?=\s+[^\sa-z]|\s*$)/g)) {
    const end = index + mark.length;
    if (abbreviation.test(text.slice(Math.max(start, end - 10), end))) continue;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  const rest = text.slice(start).trim();
  return rest === "" ? sentences : [...sentences, rest];
}
