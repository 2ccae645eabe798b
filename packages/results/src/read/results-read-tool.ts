import type { CallOptions, ContentBlock, JsonObject, ToolDefinition, ToolOrigin, ToolOutcome } from "@hostside/core";
import { utf8Length } from "@hostside/core/implement";
import type { KeptItem } from "../keep/create-handles.ts";
import type { PresentSettings } from "../present/present-options.ts";
import { presentBlocks } from "../present/present.ts";
import { readOrigin, readOutcome } from "../present/read-outcome.ts";
import { member } from "../present/untrusted.ts";
import type { Presented, PresentedMedia, PresentedText } from "../presented.ts";

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
const keptFromMeta = "hostside/kept-from";

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

/** A request of a model about something that was kept. */
export interface ReadRequest {
  readonly handle: string;
  /**
   * From which character on, or for what is no text from which byte on. Default: from the
   * beginning.
   */
  readonly offset?: number | undefined;
  /** How many characters, or bytes; with a query, how many matches. */
  readonly limit?: number | undefined;
  /** A plain text to look for, whatever its case. */
  readonly query?: string | undefined;
}

/** A place where a query was found. */
export interface TextMatch {
  /** The character at which it begins, counted in code points from the beginning of the text. */
  readonly offset: number;
  /** The line it is in, from 1. */
  readonly line: number;
  /** The part of that line around it. */
  readonly text: string;
}

/**
 * The answer to a request: a page of a text, places where a query was found, a page of bytes as
 * base64, a medium that a model may have whole, what is known of other bytes, or why nothing was
 * read. `offset`, `total` and `next` count code points of texts, and bytes of bytes; `next` is
 * absent at the end.
 */
export type ReadAnswer =
  | ({ readonly kind: "text"; readonly text: string; readonly total: number } & Page)
  | ({ readonly kind: "matches"; readonly matches: readonly TextMatch[]; readonly total: number } & Omit<
      Page,
      "offset"
    >)
  | ({ readonly kind: "bytes"; readonly base64: string } & Page)
  | { readonly kind: "media"; readonly item: KeptItem; readonly media: PresentedMedia }
  | { readonly kind: "facts"; readonly item: KeptItem }
  | ReadFailure;

interface Page {
  readonly item: KeptItem;
  readonly offset: number;
  readonly next?: number | undefined;
}

/**
 * Why nothing was read. `"unknown-handle"`: nobody kept anything under it, or it is over, or it is
 * another conversation's; which of these is not said.
 */
export interface ReadFailure {
  readonly kind: "failed";
  readonly reason: "bad-arguments" | "unknown-handle" | "no-text" | "beyond-the-end" | "unavailable";
  /** For a model. */
  readonly message: string;
}

/** The longest query, in UTF-16 units. */
const longestQuery = 256;

const members: ReadonlySet<string> = new Set(["handle", "offset", "limit", "query"]);

/**
 * Reads arguments of anybody's, or says in words for a model what is wrong with them. Members that
 * are `null` count as not given: some models send every one.
 */
export function parseRequest(
  args: Readonly<Record<string, unknown>>,
): { readonly request: ReadRequest } | { readonly problem: string } {
  const bad = (problem: string): { readonly problem: string } => ({
    problem: `${problem}; it takes {"handle": text, "offset"?: number, "limit"?: number, "query"?: text}`,
  });
  const unknown = Object.keys(args).find((member) => !members.has(member));
  if (unknown !== undefined) return bad(`there is no argument ${JSON.stringify(unknown.slice(0, 40).toWellFormed())}`);
  const { handle } = args;
  const [offset, limit, query] = [args["offset"] ?? undefined, args["limit"] ?? undefined, args["query"] ?? undefined];
  if (typeof handle !== "string") return bad('"handle" must be a text');
  if (!isCount(offset, 0)) return bad('"offset" must be a whole number of 0 or more');
  if (!isCount(limit, 1)) return bad('"limit" must be a whole number of 1 or more');
  if (query !== undefined && (typeof query !== "string" || query === "" || query.length > longestQuery)) {
    return bad(`"query" must be a text of 1 to ${longestQuery} characters`);
  }
  return { request: { handle, offset, limit, query } };
}

function isCount(value: unknown, least: number): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= least);
}

/** A match in one line, for a model. */
export function describeMatch({ offset, line, text }: TextMatch): string {
  return `character ${offset}, line ${line}: ${text}`;
}

// What the tool answers: words of its own, and a text or a medium that was kept.
const mostBlocks = 2;
const longestHead = 500;

/**
 * Presents an answer of `results_read`: it is within the bounds, and its text is of the server that
 * the kept result came from, so that it stands between that server's marks. `undefined` for any
 * other outcome. Only the product's own tools have an origin without a server, so that no server
 * can pass for this.
 */
export function presentAnswer(outcome: ToolOutcome, tool: string, settings: PresentSettings): Presented | undefined {
  const origin = readOrigin(member(outcome, "origin"));
  if (origin?.serverId !== "" || origin.toolName !== tool) return undefined;
  const { blocks, count, structured, isError } = readOutcome(outcome, mostBlocks);
  const [first, ...others] = blocks;
  const head = member(first, "text");
  if (typeof head !== "string" || head === "" || head.length > longestHead) return undefined;
  if (count > mostBlocks || structured !== undefined) return undefined;
  const own: PresentedText = { type: "text", text: head.toWellFormed(), part: "notice" };
  if (others.length === 0) return { blocks: [own], isError, omitted: [], origin };
  const shown = presentBlocks(
    { content: others, isError, origin: keptFrom(outcome) ?? origin },
    {
      ...settings,
      maxTextBytes: settings.maxTextBytes - utf8Length(own.text),
    },
  );
  return { ...shown, blocks: [own, ...shown.blocks], origin };
}

function keptFrom(outcome: ToolOutcome): ToolOrigin | undefined {
  const from = member(member(outcome, "meta"), keptFromMeta);
  const serverId = member(from, "serverId");
  const toolName = member(from, "toolName");
  if (typeof serverId !== "string" || typeof toolName !== "string") return undefined;
  return { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
}
