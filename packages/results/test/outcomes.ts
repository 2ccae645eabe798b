import type { ContentBlock, JsonValue, ToolOutcome } from "@hostside/core";

/** The smallest PNG: one transparent pixel. 70 bytes. */
export const png: string =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** What an outcome is made from in tests. Blocks may be of any shape. */
export interface OutcomeParts {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** An outcome of the tool `get_issue` of the server `github`. */
export function outcomeOf({ content = [], structuredContent, isError = false }: OutcomeParts): ToolOutcome {
  return {
    content: content as readonly ContentBlock[],
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as JsonValue }),
    isError,
    origin: { serverId: "github", toolName: "get_issue", qualifiedName: "mcp::github::get_issue" },
    meta: { secret: "of the host" },
    raw: { content: [], _meta: { secret: "of the host" } },
  };
}

/** A block of text. */
export function text(value: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: value };
}
