import { cleanText, type ToolDefinition, type ToolGroup } from "@toolport/core";
import { ownWords } from "../catalog/own-words.ts";
import type { GroupAnswer, GroupEntry, ToolAnswer } from "./answers.ts";

const maxTitleLength = 256;
const maxDescriptionLength = 8192;
const maxSummaryLength = 200;
const maxEntryLength = 300;
const maxInstructionsLength = 4096;

/** A tool with its schema. */
export function describeTool({ name, title, description, inputSchema }: ToolDefinition): ToolAnswer {
  return {
    name,
    ...(title !== undefined && { title: cleanText(title, maxTitleLength) }),
    description: cleanText(description, maxDescriptionLength),
    parameters: inputSchema,
  };
}

/** A tool's name and what it does, in a line. */
export function summarizeTool(definition: ToolDefinition): ToolAnswer {
  return { name: definition.name, description: cleanText(ownWords(definition), maxSummaryLength) };
}

/** A line of the directory. */
export function describeGroupEntry({ id, title, description, members }: ToolGroup): GroupEntry {
  return {
    id,
    title: cleanText(title, maxTitleLength),
    description: cleanText(description, maxEntryLength),
    member_count: members.length,
  };
}

/** A group with its advice and at most `maxMembers` of its tools by name. */
export function describeGroup(group: ToolGroup, maxMembers: number): GroupAnswer {
  const { instructions, members } = group;
  return {
    ...describeGroupEntry(group),
    ...(instructions !== undefined && { instructions: cleanText(instructions, maxInstructionsLength) }),
    members: members.slice(0, maxMembers),
  };
}
