import type { ToolOutcome } from "@hostside/core";
import type { PresentedBlock, PresentedError, PresentedMedia } from "@hostside/results";
import type { ContentBlock } from "@langchain/core/messages";
import type { AnsweredCall } from "../answer/capture-outcome.ts";
import { markError } from "../mark-error.ts";
import { replaceMedia } from "../replace-media.ts";

/**
 * What a message of a tool carries for the host, past the model: what the tool answered, or why it
 * did not.
 */
export interface LangChainArtifact {
  readonly outcome?: ToolOutcome | undefined;
  readonly error?: PresentedError | undefined;
}

/** What the model gets of a call, and what the host gets. */
export interface ToolOutput {
  readonly content: string | ContentBlock[];
  readonly artifact: LangChainArtifact;
  readonly isError: boolean;
}

/**
 * The content of a `ToolMessage`: one text where there is nothing else, otherwise LangChain's
 * standard blocks. Of a failed tool texts alone, after `[tool error]`: models' packages do not all
 * send the status, and an API that gets it takes no picture with it.
 */
export function toToolOutput({ presented, outcome }: AnsweredCall, takes: ReadonlySet<string>): ToolOutput {
  const { blocks, isError, error } = presented;
  const shown = isError ? markError(replaceMedia(blocks, new Set())) : replaceMedia(blocks, takes);
  return {
    content: shown.every(({ type }) => type === "text") ? joinTexts(shown) : shown.map(toBlock),
    artifact: outcome === undefined ? { error } : { outcome },
    isError,
  };
}

function joinTexts(blocks: readonly PresentedBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function toBlock(block: PresentedBlock): ContentBlock.Text | ContentBlock.Multimodal.Standard {
  return block.type === "text" ? { type: "text", text: block.text } : toMedia(block);
}

function toMedia({ type, mimeType, data }: PresentedMedia): ContentBlock.Multimodal.Standard {
  return { type, mimeType, data };
}
