import { isJsonObject, type ContentBlock, type JsonObject, type ToolOrigin, type ToolOutcome } from "@toolport/core";

/**
 * A raw `tools/call` result as an outcome: nothing is changed, and what is not there is not invented, but for `content`, which old
 * servers leave out. An entry of `content` that is no content block is in `raw` alone.
 */
export function toOutcome(raw: JsonObject, origin: ToolOrigin): ToolOutcome {
  const { content, structuredContent, isError, _meta: meta } = raw;
  return {
    content: Array.isArray(content) ? content.filter(isContentBlock) : [],
    ...(structuredContent !== undefined && { structuredContent }),
    isError: typeof isError === "boolean" ? isError : undefined,
    origin,
    ...(isJsonObject(meta) && { meta }),
    raw,
  };
}

function isContentBlock(value: unknown): value is ContentBlock {
  return isJsonObject(value) && typeof value["type"] === "string";
}
