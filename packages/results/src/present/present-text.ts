import { presentBlocks } from "./present-blocks.ts";
import type { PresentSettings } from "./present-options.ts";

/**
 * What stands before the text of a result that is an error, where a model API has no flag for that.
 */
export const toolErrorPrefix = "[tool error] ";

/**
 * An outcome as one text: blocks parted by blank lines, with words in the place of each medium, all
 * within the bounds.
 */
export function presentText(outcome: unknown, settings: PresentSettings): string {
  const { blocks, isError } = presentBlocks(outcome, {
    ...settings,
    mediaInWords: true,
    maxTextBytes: settings.maxTextBytes - toolErrorPrefix.length,
    maxTokens: settings.maxTokens - settings.tokensOf(toolErrorPrefix),
  });
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
  return isError ? toolErrorPrefix + text : text;
}
