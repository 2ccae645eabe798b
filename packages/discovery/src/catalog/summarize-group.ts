import type { ToolDefinition, ToolGroup } from "@hostside/core";
import { cutClause, isInformative, readSentences } from "./excerpt.ts";

// In UTF-16 units.
const longestSummary = 160;
const mostSentences = 8;

/** Summaries of groups, each made once. `find` gives the definition of a member. */
export function createGroupSummaries(find: (name: string) => ToolDefinition | undefined): (group: ToolGroup) => string {
  const known = new WeakMap<ToolGroup, string>();
  return (group) => {
    const about =
      known.get(group) ?? summarizeGroup(group, () => group.members.flatMap((member) => find(member) ?? []));
    known.set(group, about);
    return about;
  };
}

/**
 * Says what a group is for: its description, else the sentence of its server's advice that says so,
 * else the names of its tools.
 */
export function summarizeGroup(group: ToolGroup, members: () => readonly ToolDefinition[]): string {
  const { description, instructions = "" } = group;
  if (isInformative(description)) return description;
  const advice = sentenceAbout(instructions);
  if (advice !== undefined) return cutClause(advice, longestSummary);
  const names = members().map(({ name, origin }) => (origin?.toolName ?? name).replaceAll(/[_\W]+/g, " ").trim());
  return names.length === 0 ? description : cutClause(`Tools: ${names.join(", ")}`, longestSummary);
}

const toTheReader =
  /^(?:audience|these instructions|this (?:document|guide|prompt)|the user\b|you are\b|follow|begin|start|first|before|after|when|if|prefer|avoid|call|fetch|read the|reach for|see\b|check\b|for\b)/i;
const saysWhatItIs =
  /\b(?:is an?|provides|offers|lets|allows|enables|gives|access to|servers? (?:for|that|to)|tools? (?:for|to|that)|use (?:this server|these tools) to|manages|integrates|connects)\b/i;

/**
 * The sentence of a server's advice that says what it is or does, the one with most of the things
 * that its tools are about. Only the very first of the sentences that do not say so can be meant as
 * one.
 */

function sentenceAbout(instructions: string): string | undefined {
  const meant = readSentences(instructions)
    .slice(0, mostSentences)
    .filter(({ text, isAside }) => !isAside && !toTheReader.test(text) && !text.includes("://"));
  return (meant.find(({ text }) => saysWhatItIs.test(text)) ?? meant[0])?.text;
}
