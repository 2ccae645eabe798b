import { readContent, type JsonObject, type ToolOrigin, type ToolOutcome } from "@hostside/core";
import { isJsonObject, withoutHalves } from "@hostside/core/implement";

/**
 * A raw `tools/call` result as an outcome: content as {@linkcode readContent} has it, the
 * `toolResult` of 2024-10-07 as a text, and otherwise nothing is changed or invented; what the
 * server said is `raw`.
 */
export function toOutcome(raw: JsonObject, origin: ToolOrigin): ToolOutcome {
  const { structuredContent, isError, _meta: meta } = raw;
  const content = raw["content"] ?? readToolResult(raw);
  // Most have content alone, and are made without the spreads, which cost as much as all the rest.
  if (structuredContent === undefined && meta === undefined) {
    return { content: readContent(content), isError: saysFailed(isError), origin, raw };
  }
  return {
    content: readContent(content),
    ...(structuredContent !== undefined && { structuredContent }),
    isError: saysFailed(isError),
    origin,
    ...(isJsonObject(meta) && { meta }),
    raw,
  };
}

// Servers write `"true"` and `1`, too: a failure must not pass for a success.
function saysFailed(isError: unknown): boolean {
  return Boolean(isError) && isError !== "false";
}

function readToolResult({ toolResult }: JsonObject): unknown {
  return toolResult === undefined || typeof toolResult === "string"
    ? toolResult
    : withoutHalves(JSON.stringify(toolResult));
}
