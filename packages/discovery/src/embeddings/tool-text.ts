import { cleanText, type ToolDefinition } from "@hostside/core";
import { readSentences } from "../catalog/read-sentences.ts";
import { stripPreface } from "../catalog/strip-preface.ts";

const maxLength = 500;

/**
 * Writes what is embedded of a tool: its server, name and title in words, and the first sentence of
 * its description. Longer texts were found less often.
 */
export function toolText(definition: ToolDefinition): string {
  const { name, title, annotations, origin } = definition;
  const names = [origin?.serverId, origin?.toolName ?? name, title ?? annotations?.title].map(inWords);
  const [sentence] = readSentences(stripPreface(definition));
  return cleanText(
    [...names, sentence?.text].filter((text) => text !== undefined && text !== "").join(": "),
    maxLength,
  );
}

function inWords(name: string | undefined): string {
  return (name ?? "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[\s_./-]+/g, " ")
    .trim();
}
