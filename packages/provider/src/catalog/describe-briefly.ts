import { cleanText, type RemoteTool } from "@hostside/core";

const longestTitle = 256;

/**
 * A description without the preface of origin: the title where it says more than the name, then the
 * server's own words. For local names that show the server anyway; of 1,000 tools the preface is
 * about 5 % of all tokens. Flagged texts are stripped of control, bidirectional and invisible
 * characters.
 */
export function describeBriefly(tool: RemoteTool): string {
  const title = cleanText(tool.title ?? tool.annotations?.title ?? "", longestTitle)
    .replaceAll("\n", " ")
    .trim();
  const words = (tool.description ?? "").trim();
  const description = tool.flags === undefined ? words : cleanText(words);
  if (description === "") return title;
  const saysMore = lettersOf(title) !== lettersOf(tool.name) && !lettersOf(description).startsWith(lettersOf(title));
  return saysMore ? `${title}. ${description}` : description;
}

/** What two spellings of one name share. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
