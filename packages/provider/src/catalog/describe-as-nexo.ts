import { cleanText, type RemoteTool, type ServerSpec } from "@hostside/core";

const longestId = 256;

/**
 * A description as nexo has it: `[mcp:<server>] <description>`, the server by the id that the host
 * gave it. Texts that are flagged are stripped of control, bidirectional and invisible characters.
 */
export function describeAsNexo({ description = "", flags }: RemoteTool, { id }: ServerSpec): string {
  // Neither a bracket nor a line break in an id may end the preface early.
  const server = cleanText(id, longestId)
    .replaceAll(/[\n\]]/g, " ")
    .trim();
  const words = description.trim();
  return `[mcp:${server}] ${flags === undefined ? words : cleanText(words)}`.trimEnd();
}
