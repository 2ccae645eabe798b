import { type ToolDefinition, cleanText } from "@hostside/core";

/**
 * Shortens a text of a server to at most `maxLength` UTF-16 units: the text itself when it is as
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

/**
 * A sentence of a description, and whether it is beside the point: a rule, a warning, an example, a
 * list of what comes back.
 */
interface Sentence {
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
 * emphasis, tags, code and pictures. A text under a label (`Returns:`, `Guardrails:`) is an aside,
 * unless the label says that it is the purpose. Bounded, and linear in what it reads.
 */
export function readSentences(text: string): readonly Sentence[] {
  return blocksOf(cleanText(text.slice(0, longestRead * 2), longestRead)).flatMap(({ text: block, isAside }) =>
    splitSentences(block).map((sentence) => ({ text: sentence, isAside: isAside || asides.test(sentence) })),
  );
}

/** Lines that belong together, with what they are under. */
function blocksOf(text: string): readonly Sentence[] {
  const blocks: { text: string; isAside: boolean }[] = [];
  const lines = text.replaceAll(codeBlock, "\n\n").split("\n");
  let isUnderAside = false;
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const bare = bareOf(line);
    const isItem = /^\s*(?:[-*•·]|\d{1,2}[.)])\s/.test(line);
    const isHeading = /^\s*(?:#|=+\s*$|-{3,}\s*$|\*{3,}\s*$)/.test(line) || underline.test(lines[index + 1] ?? "");
    const name = bare.replace(/\s*:$/, "");
    const isAbout = about.test(name);
    const isLabel = isHeading || isAbout || (bare.endsWith(":") && bare.length <= longestLabel);
    if (bare === "" || isLabel) {
      if (bare !== "") isUnderAside = !isAbout && (!isHeading || asides.test(name));
      isOpen = false;
      continue;
    }
    // A list under a label ends where the next paragraph begins.
    if (!isItem && !isOpen && (lines[index - 1]?.trim() ?? "") === "") isUnderAside &&= /^\s/.test(line);
    const last = blocks.at(-1);
    if (isOpen && !isItem && last !== undefined) last.text += ` ${bare}`;
    else blocks.push({ text: bare.replace(aboutInLine, ""), isAside: isUnderAside });
    isOpen = true;
  }
  return blocks;
}

// Ends with a fence as long as its first one, or with the text.
const codeBlock = /^[^\S\n]*(`{3,})[^]*?(?:\1`*|$(?![^]))/gm;
const underline = /^\s*(?:=+|-{3,})\s*$/;
const aboutInLine = /^(?:purpose|description|summary|overview|about):\s+/i;

/** A line without tags, bullets, pictures and emphasis. */
function bareOf(line: string): string {
  return line
    .trim()
    .replace(/^(?:<\/?[a-z][\w-]{0,40}>\s*)+/i, "")
    .replace(/<\/[a-z][\w-]{0,40}>$/i, "")
    .replace(/^(?:[#>=*•·_\s\p{Extended_Pictographic}\u200D\uFE0F\u20E3]|-+(?=\s|-|$)|\d{1,2}[.)]\s)+/u, "")
    .replaceAll(/\*\*|__/g, "");
}

const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|incl|approx|[a-z])\.$/i;

function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(/(?<![.!?])[.!?]+["'`)\]]*(?=\s+[^\sa-z]|\s*$)/g)) {
    const end = index + mark.length;
    if (abbreviation.test(text.slice(Math.max(start, end - 10), end))) continue;
    sentences.push(text.slice(start, end).trim());
    start = end;
  }
  const rest = text.slice(start).trim();
  return rest === "" ? sentences : [...sentences, rest];
}

/**
 * A tool's description without the preface that says which server's tool it is and what its title
 * is. A model should read that; a search, or a line that has the name already, gains nothing by it.
 */
export function stripPreface({ description, origin, title, annotations }: ToolDefinition): string {
  if (origin === undefined) return description;
  // A backtick of a name is an apostrophe in a quotation.
  const quote = (text: string): string => text.replaceAll("`", "'");
  const preface = `MCP server \`${quote(origin.serverId)}\` tool \`${quote(origin.toolName)}\`.`;
  if (!description.startsWith(preface)) return description;
  const rest = description.slice(preface.length).trimStart();
  const label = `Title: ${title ?? annotations?.title ?? ""}.`;
  return rest.startsWith(label) ? rest.slice(label.length).trimStart() : rest;
}

/**
 * Says whether a group's description says something of its own. A provider that knows nothing
 * better says that these are the tools of that server, which the id says as well.
 */
export function isInformative(description: string): boolean {
  return description.trim() !== "" && !/^Tools provided by MCP server `[^`]*`\.$/.test(description.trim());
}
