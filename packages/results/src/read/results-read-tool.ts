import type { CallOptions, ContentBlock, JsonObject, ToolDefinition } from "@hostside/core";
import { describeMatch, longestQuery, parseRequest, type ReadAnswer, type ReadRequest } from "./read-answer.ts";

/** The result of the tool: of two texts, the first is ours and the second the server's. */
export interface ReadToolResult {
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
  readonly meta?: JsonObject;
}

/** A tool by which a model reads what was kept, as `createToolbox({ tools })` takes it. */
export interface ResultsReadTool {
  readonly definition: ToolDefinition;
  run(args: JsonObject, options: CallOptions): Promise<ReadToolResult>;
}

/**
 * The member of an answer's `meta` that says from which tool the text comes. For the presenter
 * alone.
 */
export const keptFromMeta = "hostside/kept-from";

/** Makes the tool. */
export function createResultsReadTool(
  name: string,
  read: (request: ReadRequest, options: CallOptions) => Promise<ReadAnswer>,
): ResultsReadTool {
  return {
    definition: defineTool(name),
    async run(args, options) {
      const parsed = parseRequest(args);
      if ("problem" in parsed) return failed(`Wrong arguments for ${name}: ${parsed.problem}.`);
      return render(await read(parsed.request, options), parsed.request, name);
    },
  };
}

function defineTool(name: string): ToolDefinition {
  const description = [
    "Reads or searches the part of an earlier result that was too big to be shown.",
    "Copy the handle from the notice in that result. Texts come in pages, counted in characters; each answer says where the next page begins.",
    "With query: where a plain text occurs, whatever its case.",
    "Pictures and sounds come whole where that is allowed; of other bytes you get type and size, and with offset or limit the bytes as base64.",
  ].join(" ");
  const count = (minimum: number, text: string): JsonObject => ({ type: "integer", minimum, description: text });
  return {
    name,
    title: "Read a kept result",
    description,
    inputSchema: {
      type: "object",
      properties: {
        handle: { type: "string", description: "The handle from a notice of an earlier result." },
        offset: count(0, "The first character to read; with query, where to begin to look. Default 0."),
        limit: count(
          1,
          "How many characters to read, by default 10000; with query, how many matches, by default 10, at most 50.",
        ),
        query: { type: "string", minLength: 1, maxLength: longestQuery, description: "A plain text to look for." },
      },
      required: ["handle"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    effect: "pure",
  };
}

function failed(message: string): ReadToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

function render(answer: ReadAnswer, request: ReadRequest, tool: string): ReadToolResult {
  if (answer.kind === "failed") return failed(answer.message);
  const { serverId, toolName, mimeType, bytes } = answer.item;
  const meta = { [keptFromMeta]: { serverId, toolName } };
  const { handle } = request;
  const more = (next: object): string => `${tool} ${JSON.stringify({ handle, ...next })}`;
  const withText = (head: string, text: string): ReadToolResult => ({
    content: [{ type: "text", text: `[${head}]` }, ...(text === "" ? [] : [{ type: "text", text } as const])],
    meta,
  });
  const page = (where: string, next: number | undefined, text: string): ReadToolResult =>
    withText(
      next === undefined ? `${where}; this is the end` : `${where}; to read on: ${more({ offset: next })}`,
      text,
    );
  switch (answer.kind) {
    case "text": {
      const { offset, total, next, text } = answer;
      return page(`characters ${offset} to ${next ?? total} of ${total}`, next, text);
    }
    case "matches": {
      const { matches, total, next } = answer;
      const found = `${matches.length} ${matches.length === 1 ? "match" : "matches"} in ${total} characters`;
      const goOn = next === undefined ? "there are no more" : `for more, the same with "offset": ${next}`;
      return withText(`${found}; ${goOn}`, matches.map(describeMatch).join("\n"));
    }
    case "bytes": {
      const { offset, next, base64 } = answer;
      return page(`bytes ${offset} to ${next ?? bytes} of ${bytes}, ${mimeType}, as base64`, next, base64);
    }
    case "facts":
      return withText(
        `${bytes} bytes of the type ${mimeType}, which cannot be shown; as base64: ${more({ offset: 0 })}`,
        "",
      );
    case "media": {
      const { type, data } = answer.media;
      const block: ContentBlock =
        type === "file"
          ? { type: "resource", resource: { uri: `result:${handle}`, blob: data, mimeType: answer.media.mimeType } }
          : { type, data, mimeType: answer.media.mimeType };
      return { content: [{ type: "text", text: `[${bytes} bytes of the type ${mimeType}]` }, block], meta };
    }
  }
}
