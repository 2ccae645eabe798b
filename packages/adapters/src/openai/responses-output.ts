import type { Presented, PresentedBlock } from "@hostside/results";
import type { ResponseFunctionCallOutputItem } from "openai/resources/responses/responses";
import { toDataUrl } from "../replace-media.ts";
import { openaiBlocks, pdf, pdfName } from "../openai-blocks.ts";

/**
 * The `output` of a `function_call_output`: one text as it is, anything else as parts. The API has
 * no flag for a failure, so that the first text says it.
 */
export function responsesOutput(presented: Presented): string | ResponseFunctionCallOutputItem[] {
  const parts = openaiBlocks(presented).map(toPart);
  const [first] = parts;
  return parts.length === 1 && first?.type === "input_text" ? first.text : parts;
}

function toPart(block: PresentedBlock): ResponseFunctionCallOutputItem {
  if (block.type === "text") return { type: "input_text", text: block.text };
  if (block.mimeType !== pdf) return { type: "input_image", image_url: toDataUrl(block) };
  return { type: "input_file", filename: pdfName(block), file_data: toDataUrl(block) };
}
