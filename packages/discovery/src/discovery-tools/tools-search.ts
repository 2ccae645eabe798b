import type { ToolDefinition } from "@hostside/core";
import { rankTools } from "../ranking/rank-tools.ts";
import type { ToolsAnswer } from "./answers.ts";
import { summarizeTool } from "./describe.ts";
import type { HelperContext, HelperOptions, HelperResult } from "./helper-context.ts";
import { nameUnavailable } from "./unavailable-groups.ts";
import { answerTools, fitTools, limitAnswer, nameSome, type AnswerPlan } from "./answer-tools.ts";

/** Arguments of `tools_search`. */
export interface SearchInput {
  /**
   * Words, a name or the beginning of one; `*` for names, descriptions and groups of any tools;
   * `select:a,b` for exact names.
   */
  readonly query: string;
  /** Most tools to return. Default 5, also for 0; at most 64. */
  readonly limit?: number;
}

/**
 * Ranked tools, available from the next request on. A blank query finds nothing; `*` lists what
 * there is with a word on each, and selects nothing.
 */
export async function searchTools(
  context: HelperContext,
  { query, limit }: Required<SearchInput>,
  options: HelperOptions,
): Promise<HelperResult<ToolsAnswer>> {
  const { permitted } = context;
  const { definitions, allows } = permitted();
  if (query.trim() === "") return { answer: { tools: [], groups: [], total_tools: definitions.length } };
  if (query.trim() === "*") return { answer: listTools(context, definitions.slice(0, limit)) };
  const ranked = await rankTools(context, {
    catalog: context.catalog(),
    query: query.trim(),
    limit: limit + runnersUp,
    allows,
    ...options,
  });
  const plan = planAnswer(ranked.slice(limit));
  return { answer: answerRanked(context, ranked.slice(0, limit), plan) };
}

/** The answer for tools that a query found. */
export function answerRanked(context: HelperContext, found: readonly ToolDefinition[], plan: AnswerPlan): ToolsAnswer {
  const { answer, missing } = answerTools(context, found, plan);
  const limit = limitAnswer(context, plan.share);
  const next = nameSome(
    missing.map(({ name }) => name),
    limit,
  );
  const unavailable = nameUnavailable(
    context,
    limit,
    ({ state }, hasTools) => !hasTools && (found.length === 0 || state === "connecting"),
  );
  return { ...answer, ...(next && { next: { tools: next.names } }), ...unavailable };
}

// A name costs a tenth of what a description does, and the tool that is meant is often just below
// the best.
export const runnersUp = 10;
/** A tool that is found brings the names of its group, as far as they are soon read. */
export const mostSiblings = 24;

/**
 * A search is a glance, and a conversation has many: of groups what helps to choose and the names
 * of their tools, of other tools the names of the next best.
 */
function planAnswer(next: readonly ToolDefinition[]): AnswerPlan {
  const ranked = next.map(({ name }) => name);
  return { share: 1 / 8, others: { ranked, upTo: mostSiblings }, mostGroups: 5, longestAdvice: 300, longestAbout: 120 };
}

/**
 * Nothing is selected: a summary must not be taken for the schema that a later selection brings.
 */
function listTools(context: HelperContext, found: readonly ToolDefinition[]): ToolsAnswer {
  const plan = planAnswer([]);
  const limit = limitAnswer(context, plan.share);
  const tools = found.map((definition) => summarizeTool(definition));
  const { omittedTools, omittedGroups, ...fitted } = fitTools(context, { tools, found, plan, limit });
  return {
    ...fitted,
    total_tools: context.permitted().definitions.length,
    ...(omittedTools && { omitted_tools: omittedTools }),
    ...(omittedGroups && { omitted_groups: omittedGroups }),
  };
}
