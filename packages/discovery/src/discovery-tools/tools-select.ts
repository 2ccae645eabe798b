import { type ToolDefinition, cleanText } from "@hostside/core";
import { foldCase, runWithDeadline } from "@hostside/core/implement";
import {
  type ModelToolSelector,
  type SelectorChoice,
  describeRankingError,
  findByName,
  rankTools,
} from "../ranking/rank-tools.ts";
import { type AnswerPlan, answerTools, limitAnswer, nameSome } from "./answer-tools.ts";
import type { NextPage, ToolsAnswer } from "./answers.ts";
import type { AnswerLimit } from "./fit-answer.ts";
import type { HelperContext, HelperOptions, HelperResult } from "./helper-context.ts";
import { type HelperDefinition, invalid, parseInput } from "./helper-definitions.ts";
import { answerRanked, mostSiblings, runnersUp } from "./tools-search.ts";
import { answerSuggestions, nameUnavailable, suggestGroups, suggestTools } from "./unavailable-groups.ts";

/** Arguments of `tools_select`. At least one of `tools`, `group` and `query` is needed. */
export interface SelectInput {
  /** Names of tools: local names, or remote names that only one tool has. */
  readonly tools?: readonly string[];
  /** Id of a group, ASCII-case-insensitive: all of its tools. */
  readonly group?: string;
  /**
   * Only the tools of the group after this one, in the order of their names: to go on where an
   * answer stopped.
   */
  readonly after?: string;
  /** The task of the tools. Ignored when `tools` or `group` is given. */
  readonly query?: string;
  /** Most tools for a query. Default 5, also for 0; at most 16. */
  readonly limit?: number;
}

type SelectRequest = SelectInput & Required<Pick<SelectInput, "tools" | "limit">>;

const selectorTimeoutMs = 30_000;
const maxCandidates = 64;
const shortestQueryForSelector = 4;

/** Reads a model's arguments. Throws a `TypeError` as {@linkcode parseInput} does. */
export function parseSelectInput(definition: HelperDefinition, input: object): SelectRequest {
  const parsed = parseInput(definition, input) as unknown as SelectRequest;
  const { tools, group, query } = parsed;
  if (tools.length > 0 || group !== undefined || query !== undefined) return parsed;
  throw invalid('one of `tools`, `query`, or `group` must be provided, such as {"query": "create issue"}');
}

/** Tools by name, of a group or for a query, available from the next request on. */
export async function selectTools(
  context: HelperContext,
  request: SelectRequest,
  options: HelperOptions,
): Promise<HelperResult<ToolsAnswer>> {
  const { tools, group, after = "", query = "" } = request;
  if (tools.length === 0 && group === undefined) return await selectByQuery(context, { ...request, query }, options);
  const { definitions, groups, allows } = context.permitted();
  const wanted = group === undefined ? undefined : foldCase(group);
  const chosen = groups.find(({ id }) => foldCase(id) === wanted);
  const members = (chosen?.members ?? []).filter((member) => member > after);
  const { found, unknown } = findByName(context, { catalog: context.catalog(), allows }, [...tools, ...members]);
  const { answer, missing } = answerTools(
    context,
    found,
    group === undefined ? byName : { share, others: { ranked: members, upTo: 0 } },
  );
  const limit = limitAnswer(context, share);
  const absentGroup = chosen === undefined ? group : undefined;
  const absent = absentGroup === undefined ? unknown : [...unknown, absentGroup];
  const meant = [
    ...suggestTools(unknown, definitions),
    ...(absentGroup === undefined ? [] : suggestGroups(absentGroup, groups)),
  ];
  const named = nameSome(
    absent.map((name) => cleanText(name, 80)),
    limit,
  );
  const next = nextPage({ missing, members, group: chosen?.id, after, limit });
  const chosenIds = new Set([wanted, ...answer.groups.map(({ id }) => foldCase(id))]);
  const unavailable = nameUnavailable(
    context,
    limit,
    ({ id }, hasTools) =>
      // A tool that nobody has may be one of those that are not known yet.
      chosenIds.has(foldCase(id)) || (!hasTools && unknown.length > 0),
  );
  return {
    answer: {
      ...answer,
      ...(next && { next }),
      ...(named && { unknown: named }),
      ...answerSuggestions(meant),
      ...unavailable,
    },
  };
}

const share = 1 / 4;
const byName: AnswerPlan = { share, others: { ranked: [], upTo: mostSiblings } };

interface PageRequest {
  readonly missing: readonly ToolDefinition[];
  readonly members: readonly string[];
  readonly group: string | undefined;
  readonly after: string;
  readonly limit: AnswerLimit;
}

/** How to get what had no room. */
function nextPage({ missing, members, group, after, limit }: PageRequest): NextPage | undefined {
  if (missing.length === 0) return undefined;
  const ofGroup = new Set(members);
  const tools = nameSome(
    missing.flatMap(({ name }) => (ofGroup.has(name) ? [] : name)),
    limit,
  );
  const first = missing.find(({ name }) => ofGroup.has(name));
  const before = first === undefined ? after : (members[members.indexOf(first.name) - 1] ?? after);
  return {
    ...(tools && { tools: tools.names }),
    ...(first !== undefined && group !== undefined && { group, ...(before !== "" && { after: before }) }),
  };
}

async function selectByQuery(
  context: HelperContext,
  { query, limit }: { readonly query: string; readonly limit: number },
  options: HelperOptions,
): Promise<HelperResult<ToolsAnswer>> {
  const { selector } = context;
  const { allows } = context.permitted();
  const answer = (found: readonly ToolDefinition[]): ToolsAnswer => {
    const others = ranked.filter((definition) => !found.includes(definition)).slice(0, runnersUp);
    const named = { ranked: others.map(({ name }) => name), upTo: mostSiblings };
    return answerRanked(context, found, { share, others: named });
  };
  const asks = selector !== undefined && query.length >= shortestQueryForSelector;
  const ranked = await rankTools(context, {
    catalog: context.catalog(),
    query,
    limit: asks ? maxCandidates : limit + runnersUp,
    allows,
    ...options,
  });
  if (!asks || ranked.length === 0) return { answer: answer(ranked.slice(0, limit)) };
  const { names, usage } = await askSelector(context, selector, { query, limit, ranked, ...options });
  const chosen = names.flatMap((name) => ranked.find((candidate) => candidate.name === name) ?? []);
  return { answer: answer((chosen.length > 0 ? chosen : ranked).slice(0, limit)), ...(usage && { usage }) };
}

interface SelectorQuestion extends HelperOptions {
  readonly query: string;
  readonly limit: number;
  readonly ranked: readonly ToolDefinition[];
}

async function askSelector(
  { onDiagnostic }: HelperContext,
  selector: ModelToolSelector,
  { query, limit, ranked, signal, context }: SelectorQuestion,
): Promise<SelectorChoice> {
  const candidates = ranked.map(({ name, description }) => ({ name, description: cleanText(description, 400) }));
  try {
    const choice = await runWithDeadline(
      { what: "the tool selector", timeoutMs: selectorTimeoutMs, signal },
      (deadline) => selector({ query, candidates, limit, signal: deadline.signal, ...(context && { context }) }),
    );
    return { ...choice, names: Array.from(new Set(Array.isArray(choice.names) ? choice.names : [])) };
  } catch (error) {
    if (signal?.aborted) throw error;
    onDiagnostic({
      kind: "fallback",
      serverId: "",
      message: `the tool selector failed (${describeRankingError(error)}); the ranking decides`,
    });
    return { names: [] };
  }
}
