import type { ToolOutputFileContent, ToolOutputImage, ToolOutputText } from "@openai/agents";
import type { Presented, PresentedBlock } from "@hostside/results";
import { openaiBlocks, pdf, pdfName } from "../openai-blocks.ts";

/** What a tool of the framework gives back. */
export type AgentsOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[];

/**
 * The output of a tool: the texts as one, a line each, or parts where there are media. (Through
 * Chat Completions the framework sends the texts of parts without anything between them, and no
 * media.) There is no flag for a failure, so that the first text says it.
 */
export function agentsOutput(presented: Presented): AgentsOutput {
  const blocks = openaiBlocks(presented);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.length === blocks.length ? texts.join("\n") : blocks.map(toPart);
}

function toPart(block: PresentedBlock): ToolOutputText | ToolOutputImage | ToolOutputFileContent {
  if (block.type === "text") return { type: "text", text: block.text };
  const { data, mimeType: mediaType } = block;
  if (mediaType !== pdf) return { type: "image", image: { data, mediaType } };
  return { type: "file", file: { data, mediaType, filename: pdfName(block) } };
}
