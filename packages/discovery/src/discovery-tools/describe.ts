import { type ToolDefinition, type ToolGroup, cleanText } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { excerptOf, stripPreface } from "../catalog/excerpt.ts";
import type { GroupAnswer, GroupEntry, ToolAnswer } from "./answers.ts";

const maxTitleLength = 256;
const maxDescriptionLength = 8192;
const maxSummaryLength = 260;
/** Longest line about a group in the directory. */
export const maxEntryLength = 200;
const maxInstructionsLength = 4096;

/** A tool with its schema, in its own words: the name says whose it is. */
export function describeTool(definition: ToolDefinition): ToolAnswer {
  const { name, title, inputSchema } = definition;
  return {
    name,
    ...(title !== undefined && { title: cleanText(title, maxTitleLength) }),
    description: cleanText(stripPreface(definition), maxDescriptionLength),
    parameters: inputSchema,
  };
}

/** A tool's name and what it does, in a line. */
export function summarizeTool(definition: ToolDefinition): ToolAnswer {
  const { name, title, annotations } = definition;
  const words = stripPreface(definition).trim() || (title ?? annotations?.title ?? "");
  return { name, description: excerptOf(words, maxSummaryLength) };
}

/** The same for a tool whose schema has no room, with the names of its arguments. */
export function summarizeLargeTool(definition: ToolDefinition): ToolAnswer {
  const { properties, required } = definition.inputSchema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const list = names.map((name) => (needed.has(name) ? `${name} (required)` : name)).join(", ");
  return { ...summarizeTool(definition), arguments: excerptOf(list, maxSummaryLength) };
}

/** A line of the directory; `about` is what the group is for. */
export function describeGroupEntry(
  { id, title, members }: ToolGroup,
  about: string,
  longestAbout: number = maxEntryLength,
): GroupEntry {
  return {
    id,
    title: cleanText(title, maxTitleLength),
    description: excerptOf(about, longestAbout),
    member_count: members.length,
  };
}

/** The part of an answer about a group of its tools. */
export interface GroupDescription {
  readonly about: string;
  /** Names of other tools of the group. */
  readonly siblings: readonly string[];
  /** The first lines of longer advice are quoted. Default: as much as an answer may quote. */
  readonly longestAdvice?: number;
  readonly longestAbout?: number;
}

/** A group with its advice and others of its tools by name. */
export function describeGroup(
  group: ToolGroup,
  { about, siblings, longestAdvice = maxInstructionsLength, longestAbout }: GroupDescription,
): GroupAnswer {
  const { instructions = "" } = group;
  return {
    ...describeGroupEntry(group, about, longestAbout),
    ...(instructions !== "" && {
      instructions: firstLines(cleanText(instructions, maxInstructionsLength), longestAdvice),
    }),
    members: siblings,
  };
}

/** Whole lines, as many as fit; of a first line that does not fit whole sentences. */
function firstLines(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf("\n", most - 1);
  return end > 0 ? `${text.slice(0, end).trimEnd()}\n…` : excerptOf(text, most);
}
