import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { splitWords } from "../search/split-words.ts";
import { stemWord } from "../search/stem-word.ts";
import { cutClause, firstSentence } from "./excerpt.ts";
import { isInformative } from "./is-informative.ts";
import { stripPreface } from "./strip-preface.ts";
import { readSentences, type Sentence } from "./read-sentences.ts";
import { topicsOf } from "./topics-of.ts";

const longestSummary = 160;
const fewTools = 4;
const fewThings = 2;
const shortestSaid = 60;
const mostSentences = 8;
const mostWords = 100;

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
 * What a group is for, in a line to choose by: its own description if it says anything; else the
 * sentence of its advice that says what the server is or does; else what its tools say of
 * themselves, if they are few; else what their names are about and what is done with it. A server's
 * words all of them: data, never instructions.
 */
export function summarizeGroup(group: ToolGroup, members: () => readonly ToolDefinition[]): string {
  const { description, instructions = "" } = group;
  if (isInformative(description)) return description;
  const tools = members();
  const { things, deeds } = topicsOf(tools, new Set(splitWords(`${group.id} ${group.title}`).map(stemWord)));
  const advice = sentenceAbout(instructions, things);
  if (advice !== undefined) return cutClause(advice, longestSummary);
  if (tools.length <= fewTools || things.length < fewThings) {
    const said = sayEach(tools);
    if (said !== "") return said;
  }
  if (things.length === 0) return description;
  return `Tools about ${things.join(", ")}${deeds.length === 0 ? "" : `: ${deeds.join(", ")}`}.`;
}

// What is said to whoever reads the advice: who that is, how to behave, what to call first.
const toTheReader =
  /^(?:audience|these instructions|this (?:document|guide|prompt)|the user\b|you are\b|follow|begin|start|first|before|after|when|if|prefer|avoid|call|fetch|read the|reach for|see\b|check\b|for\b)/i;
const saysWhatItIs =
  /\b(?:is an?|provides|offers|lets|allows|enables|gives|access to|servers? (?:for|that|to)|tools? (?:for|to|that)|use (?:this server|these tools) to|manages|integrates|connects)\b/i;

/**
 * The sentence of a server's advice that says what it is or does, the one with most of the things
 * that its tools are about. Of sentences that do not say so, only the very first can be meant as
 * one.
 */
function sentenceAbout(instructions: string, things: readonly string[]): string | undefined {
  const sentences = readSentences(instructions);
  const isMeant = ({ text, isAside }: Sentence): boolean =>
    !isAside && !toTheReader.test(text) && !text.includes("://");
  const wordsOf = (text: string): ReadonlySet<string> => new Set(splitWords(text, mostWords).map(stemWord));
  const stems = things.map((thing) => splitWords(thing).map(stemWord));
  let best: { readonly text: string; readonly named: number } | undefined;
  for (const sentence of sentences.slice(0, mostSentences)) {
    if (!isMeant(sentence) || !saysWhatItIs.test(sentence.text)) continue;
    const words = wordsOf(sentence.text);
    const named = stems.filter((thing) => thing.every((stem) => words.has(stem))).length;
    if (best === undefined || named > best.named) best = { text: sentence.text, named };
  }
  if (best !== undefined) return best.text;
  const [first] = sentences;
  return first !== undefined && isMeant(first) ? first.text : undefined;
}

/** What few tools do, one after the other. */
function sayEach(tools: readonly ToolDefinition[]): string {
  const said: string[] = [];
  let left = longestSummary;
  for (const tool of tools) {
    const room = Math.max(Math.floor(longestSummary / Math.min(tools.length, fewTools)) - 2, shortestSaid);
    const text = firstSentence(stripPreface(tool), room).replace(/\.$/, "");
    if (text.length + 2 > left) break;
    if (text !== "") said.push(text);
    left -= text.length + 2;
  }
  return said.join("; ");
}
