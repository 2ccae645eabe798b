import { cleanText, truncateText, type ToolDefinition, type ToolGroup } from "@toolport/core";
import { isEverydayVerb, isReadingVerb } from "../search/name-intent.ts";
import { splitWords } from "../search/split-words.ts";
import { stemWord } from "../search/stem-word.ts";
import { stopWords } from "../search/stop-words.ts";
import { isInformative } from "./is-informative.ts";

const longestAdvice = 200;
const mostWords = 8;
const mostWordsPerTool = 24;
const shortestWord = 3;
// Words that servers use of themselves and their tools.
const emptyWords: ReadonlySet<string> = new Set(["mcp", "server", "tool", "tools", "api"]);

/** Summaries of groups, each made once for as long as somebody has the group. */
export function createGroupSummaries(find: (name: string) => ToolDefinition | undefined): (group: ToolGroup) => string {
  const known = new WeakMap<ToolGroup, string>();
  return (group) => {
    const before = known.get(group);
    if (before !== undefined) return before;
    const about = summarizeGroup(group, () => group.members.flatMap((member) => find(member) ?? []));
    known.set(group, about);
    return about;
  };
}

/**
 * What a group is for, in a line to choose by: its own description if it says anything, else the first sentence of its advice, else the
 * words that most of its tools have in name or title. A server's words all of them: data, never instructions.
 */
export function summarizeGroup(group: ToolGroup, members: () => readonly ToolDefinition[]): string {
  const { description, instructions = "" } = group;
  if (isInformative(description)) return description;
  const advice = firstSentence(withoutHeadings(cleanText(instructions)));
  if (advice !== "") return advice;
  const words = commonWords(members(), new Set(splitWords(`${group.id} ${group.title}`).map(stemWord)));
  return words.length === 0 ? description : `Tools about ${words.join(", ")}.`;
}

// A title in Markdown, and what underlines one, says what the text is and not what the server is for.
function withoutHeadings(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex(
    (line, index) => /[^\s=#*-]/.test(line) && !/^\s*#/.test(line) && !isUnderlined(lines[index + 1]),
  );
  return first === -1 ? "" : lines.slice(first).join("\n").trim();
}

function isUnderlined(next: string | undefined): boolean {
  return next !== undefined && /^\s*(?:=+|-{3,})\s*$/.test(next);
}

function firstSentence(text: string): string {
  const end = text.search(/[.!?](?:\s|$)|\n/);
  return truncateText(end === -1 ? text : text.slice(0, end + 1).trim(), longestAdvice);
}

/** The words of names and titles by how many tools have them, then by spelling; one form of each. */
function commonWords(tools: readonly ToolDefinition[], known: ReadonlySet<string>): readonly string[] {
  const counts = new Map<string, { readonly word: string; count: number }>();
  for (const { name, title, annotations, origin } of tools) {
    const text = `${origin?.toolName ?? name} ${title ?? annotations?.title ?? ""}`;
    const ofTool = new Map(splitWords(text, mostWordsPerTool).map((word) => [stemWord(word), word]));
    for (const [stem, word] of ofTool) {
      if (known.has(stem) || !isWordToChooseBy(word, stem)) continue;
      const entry = counts.get(stem);
      // The shorter form is the singular.
      if (entry === undefined || word.length < entry.word.length)
        counts.set(stem, { word, count: (entry?.count ?? 0) + 1 });
      else entry.count += 1;
    }
  }
  return Array.from(counts.values())
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, mostWords)
    .map(({ word }) => word);
}

function isWordToChooseBy(word: string, stem: string): boolean {
  if (word.length < shortestWord || stopWords.has(word) || emptyWords.has(word)) return false;
  return !isEverydayVerb(stem) && !isReadingVerb(stem);
}
