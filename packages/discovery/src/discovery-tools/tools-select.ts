import { cleanText, type JsonObject, type ToolDefinition } from "@toolport/core";
import { foldName } from "../catalog/fold-name.ts";
import { findByName, nameOf, rankTools } from "../ranking/rank-tools.ts";
import type { SelectorChoice, ToolSelector } from "../ranking/tool-selector.ts";
import { within } from "../catalog/within.ts";
import type { ToolsAnswer } from "./answers.ts";
import { answerTools } from "./answer-tools.ts";
import { fitNames } from "./fit-answer.ts";
import { selectLimits } from "./helper-definitions.ts";
import type { HelperContext, HelperResult } from "./helper-context.ts";
import { parseInput, type ParsedInput } from "./parse-input.ts";

/** Arguments of `tools_select`. At least one of `tools`, `group` and `query` is needed. */
export interface SelectInput {
  /** Names of tools: local names, or remote names that only one tool has. */
  readonly tools?: readonly string[];
  /** Id of a group, ASCII-case-insensitive: all of its tools. */
  readonly group?: string;
  /** What the tools should do. Ignored when `tools` or `group` is given. */
  readonly query?: string;
  /** Most tools for a query. Default 5, also for 0; at most 16. */
  readonly limit?: number;
}

interface SelectRequest {
  readonly tools: readonly string[];
  readonly group: string | undefined;
  readonly query: string | undefined;
  readonly limit: number;
}

const nothingGiven = "Invalid input: one of `tools`, `query`, or `group` must be provided";
const selectorTimeoutMs = 30_000;
const maxCandidates = 64;
const shortestQueryForSelector = 4;

/** Reads a model's arguments. */
export function parseSelectInput(input: JsonObject): ParsedInput<SelectRequest> {
  const parsed = parseInput(input, ["tools", "query", "group", "limit"], (read) => ({
    tools: read.names("tools"),
    group: read.optionalText("group"),
    query: read.optionalText("query"),
    limit: read.limit("limit", selectLimits),
  }));
  if ("problem" in parsed) return parsed;
  const { tools, group, query } = parsed.value;
  return tools.length === 0 && group === undefined && query === undefined ? { problem: nothingGiven } : parsed;
}

/** Full schemas, available from the next request on (AN-75). */
export async function selectTools(
  context: HelperContext,
  request: SelectRequest,
  signal: AbortSignal | undefined,
): Promise<HelperResult<ToolsAnswer>> {
  const { tools, group, query = "" } = request;
  if (tools.length === 0 && group === undefined) return await selectByQuery(context, { ...request, query }, signal);
  const catalog = context.catalog();
  const wanted = group === undefined ? undefined : foldName(group);
  const chosen = context.groups().find(({ id }) => foldName(id) === wanted);
  const names = [...tools, ...(chosen?.members ?? [])];
  const { found, unknown } = findByName(context, { catalog, allows: context.allows }, names);
  const missing = group !== undefined && chosen === undefined ? [...unknown, group] : unknown;
  const answer = answerTools(context, found);
  const named = fitNames(
    missing.map((name) => cleanText(name, 80)),
    context.maxAnswerBytes / 16,
  );
  return { answer: named === undefined ? answer : { ...answer, unknown: named } };
}

async function selectByQuery(
  context: HelperContext,
  { query, limit }: { readonly query: string; readonly limit: number },
  signal: AbortSignal | undefined,
): Promise<HelperResult<ToolsAnswer>> {
  const { selector, allows } = context;
  const asks = selector !== undefined && query.length >= shortestQueryForSelector;
  const ranked = await rankTools(context, {
    catalog: context.catalog(),
    query,
    limit: asks ? maxCandidates : limit,
    allows,
    signal,
  });
  if (!asks || ranked.length === 0) return { answer: answerTools(context, ranked) };
  const { names, usage } = await askSelector(context, selector, { query, limit, ranked, signal });
  const chosen = names.flatMap((name) => ranked.find((candidate) => candidate.name === name) ?? []);
  const answer = answerTools(context, (chosen.length > 0 ? chosen : ranked).slice(0, limit));
  return { answer, ...(usage && { usage }) };
}

interface SelectorQuestion {
  readonly query: string;
  readonly limit: number;
  readonly ranked: readonly ToolDefinition[];
  readonly signal: AbortSignal | undefined;
}

async function askSelector(
  { clock, onDiagnostic }: HelperContext,
  selector: ToolSelector,
  { query, limit, ranked, signal }: SelectorQuestion,
): Promise<SelectorChoice> {
  const candidates = ranked.map(({ name, description }) => ({ name, description: cleanText(description, 400) }));
  try {
    const choice = await within(
      { what: "the tool selector", timeoutMs: selectorTimeoutMs, signal, clock },
      (deadline) => selector({ query, candidates, limit, signal: deadline }),
    );
    return { ...choice, names: Array.from(new Set(Array.isArray(choice.names) ? choice.names : [])) };
  } catch (error) {
    if (signal?.aborted) throw error;
    onDiagnostic({
      kind: "fallback",
      serverId: "",
      message: `the tool selector failed (${nameOf(error)}); the ranking decides`,
    });
    return { names: [] };
  }
}
