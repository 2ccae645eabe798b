import type { JsonObject } from "@toolport/core";
import { rankTools } from "../ranking/rank-tools.ts";
import type { ToolsAnswer } from "./answers.ts";
import { summarizeTool } from "./describe.ts";
import { searchLimits } from "./helper-definitions.ts";
import type { HelperContext, HelperResult } from "./helper-context.ts";
import { parseInput, type ParsedInput } from "./parse-input.ts";
import { answerTools, fitTools } from "./answer-tools.ts";

/** Arguments of `tools_search`. */
export interface SearchInput {
  /** Words, a name or the beginning of one; `*` for names and descriptions of any tools; `select:a,b` for exact names. */
  readonly query: string;
  /** Most tools to return. Default 10, also for 0; at most 64. */
  readonly limit?: number;
}

/** Reads a model's arguments. */
export function parseSearchInput(input: JsonObject): ParsedInput<Required<SearchInput>> {
  return parseInput(input, ["query", "limit"], (read) => ({
    query: read.text("query"),
    limit: read.limit("limit", searchLimits),
  }));
}

/** Ranked tools, available from the next request on (AN-77, EV-42). A blank query finds nothing; `*` only shows summaries. */
export async function searchTools(
  context: HelperContext,
  { query, limit }: Required<SearchInput>,
  signal: AbortSignal | undefined,
): Promise<HelperResult<ToolsAnswer>> {
  const { allows, visible } = context;
  if (query.trim() === "") return { answer: { tools: [], groups: [], total_tools: visible().length } };
  if (query.trim() === "*") {
    // Nothing is selected: a summary must not be taken for the schema that a later selection brings (AN-79a).
    const tools = visible()
      .slice(0, limit)
      .map((definition) => summarizeTool(definition));
    return { answer: fitTools(context, { tools, groups: [] }) };
  }
  const found = await rankTools(context, { catalog: context.catalog(), query: query.trim(), limit, allows, signal });
  return { answer: answerTools(context, found, { maxMembers: siblingsInSearch }) };
}

// The names of all tools of ten servers would cost more than the tools found.
const siblingsInSearch = 50;
