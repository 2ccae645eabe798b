import { cleanText, type ToolDefinition, type ToolGroup } from "@toolport/core";
import { ownWords } from "../catalog/own-words.ts";
import type { GroupAnswer, GroupEntry, ToolAnswer } from "./answers.ts";

const maxTitleLength = 256;
const maxDescriptionLength = 8192;
const maxSummaryLength = 200;
const maxEntryLength = 300;
const maxInstructionsLength = 4096;

/** A tool with its schema, in its own words: the name says whose it is. */
export function describeTool(definition: ToolDefinition): ToolAnswer {
  const { name, title, inputSchema } = definition;
  return {
    name,
    ...(title !== undefined && { title: cleanText(title, maxTitleLength) }),
    description: cleanText(ownWords(definition), maxDescriptionLength),
    parameters: inputSchema,
  };
}

/** A tool's name and what it does, in a line. */
export function summarizeTool(definition: ToolDefinition): ToolAnswer {
  const { name, title, annotations } = definition;
  const words = ownWords(definition).trim() || (title ?? annotations?.title ?? "");
  return { name, description: cleanText(words, maxSummaryLength) };
}

/** A line of the directory; `about` is what the group is for. */
export function describeGroupEntry({ id, title, members }: ToolGroup, about: string): GroupEntry {
  return {
    id,
    title: cleanText(title, maxTitleLength),
    description: cleanText(about, maxEntryLength),
    member_count: members.length,
  };
}

/** A group with its advice and at most `maxMembers` of its tools by name. */
export function describeGroup(group: ToolGroup, about: string, maxMembers: number): GroupAnswer {
  const { instructions, members } = group;
  return {
    ...describeGroupEntry(group, about),
    ...(instructions !== undefined && { instructions: cleanText(instructions, maxInstructionsLength) }),
    members: members.slice(0, maxMembers),
  };
}
