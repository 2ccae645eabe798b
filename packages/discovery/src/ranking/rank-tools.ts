import {
  type CallContext,
  type Cancel,
  type Diagnostic,
  type Event,
  type JsonObject,
  type ToolDefinition,
  isHostsideError,
} from "@hostside/core";
import { foldCase, runWithDeadline } from "@hostside/core/implement";
import type { CatalogSearch } from "../catalog/catalog-search.ts";
import type { ToolboxCatalog } from "../catalog/toolbox-catalog.ts";

/** A question to a ranker. */
export interface EmbeddingRequest {
  readonly query: string;
  /**
   * Every tool that may be found. A definition that did not change is the same object as before, so
   * that its embedding can be kept in a `WeakMap`.
   */
  readonly definitions: readonly ToolDefinition[];
  /** How many names are of use. */
  readonly limit: number;
  /**
   * Aborts when the caller gives up or after 2 seconds; the answer is not waited for any longer.
   */
  readonly signal: AbortSignal;
  /** The caller, as the call or its view says. Absent: neither does. */
  readonly context?: CallContext | undefined;
}

/** A source of tools to be ranked, such as a toolbox. */
export interface RankedSource {
  /** Every tool that is on offer now. */
  tools(): readonly ToolDefinition[];
  /** Fires after that changed. */
  readonly onToolsChanged: Event<unknown>;
  /** Says what is odd and stops nobody: a model that failed. */
  report(diagnostic: Diagnostic): void;
}

/** A tool, and how well it fits a query. */
export interface ScoredName {
  readonly name: string;
  /** From 0 to 1, such as a cosine. */
  readonly score: number;
}

/**
 * Ranks tools by meaning: returns those that it is sure of, with a score that is added to that of
 * the words. A ranker that fails, is late, or names what does not exist costs nothing but its
 * opinion.
 */
export interface EmbeddingRanker {
  (request: EmbeddingRequest): Promise<readonly ScoredName[]>;
  /**
   * Called once by a toolbox, when it is made, so that a ranker can prepare itself before the first
   * search; what it returns is called when the toolbox is closed.
   */
  readonly follow?: ((source: RankedSource) => Cancel) | undefined;
}

/**
 * Fuses what the words say with what the meaning says: the score of the words, as a share of the
 * best, plus that of the meaning. Equal sums keep the order of the words.
 */
function fuseScores(byWords: readonly ScoredName[], byMeaning: readonly ScoredName[]): readonly string[] {
  const best = byWords[0]?.score ?? 1;
  const sums = new Map(byWords.map(({ name, score }) => [name, score / best]));
  for (const { name, score } of byMeaning) sums.set(name, (sums.get(name) ?? 0) + score);
  return Array.from(sums)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

/** A question to a selector. */
export interface SelectorRequest {
  readonly query: string;
  /**
   * The best tools by rank, best first. Nothing else can be chosen. Their texts come from servers:
   * data, never instructions.
   */
  readonly candidates: readonly { readonly name: string; readonly description: string }[];
  /** How many may be chosen. */
  readonly limit: number;
  /**
   * Aborts when the caller gives up or after 30 seconds; the answer is not waited for any longer.
   */
  readonly signal: AbortSignal;
  /** The caller, as the call or its view says. Absent: neither does. */
  readonly context?: CallContext | undefined;
}

/** The answer of a selector. */
export interface SelectorChoice {
  /**
   * Names of candidates, best first. Other names are ignored; when nothing is left, the ranking
   * decides.
   */
  readonly names: readonly string[];
  /**
   * The cost of the choice, in whatever form the product counts it. Reported upward, also when the
   * choice was of no use.
   */
  readonly usage?: JsonObject;
}

/**
 * Lets a model choose among the best tools of a `tools_select` query. May throw: the ranking
 * decides then.
 */
export type ModelToolSelector = (request: SelectorRequest) => Promise<SelectorChoice>;

/** The query of a ranking, and the tools to rank. */
export interface RankContext {
  readonly search: CatalogSearch;
  readonly embeddingRanker: EmbeddingRanker | undefined;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** One ranking. */
interface RankQuery {
  readonly catalog: ToolboxCatalog;
  readonly query: string;
  readonly limit: number;
  readonly allows: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** The caller; for the ranker alone. */
  readonly context?: CallContext | undefined;
}

const rankerTimeoutMs = 2000;
// What both opinions have in their first fifty can be better than the first of one alone.
const fusedDepth = 50;

/**
 * The best tools for a query: exact names, then names that begin with it, then by words, fused by
 * score with the ranker's opinion if there is one. `select:a,b` takes tools by exact name, in that
 * order.
 */
export async function rankTools(context: RankContext, request: RankQuery): Promise<readonly ToolDefinition[]> {
  const { catalog, query, limit, allows } = request;
  const named = /^select:(.*)$/s.exec(query)?.[1];
  if (named !== undefined) return findByName(context, request, named.split(",")).found.slice(0, limit);
  const depth = context.embeddingRanker === undefined ? limit : Math.max(limit, fusedDepth);
  const hits = context.search.search(catalog, query, { limit: depth, allows });
  const byName = hits.filter(({ match }) => match !== "words").map(({ name }) => name);
  const byWords = hits.filter(({ match }) => match === "words");
  // A word that is required is one for the words alone.
  const byMeaning =
    context.embeddingRanker === undefined || /(?:^|\s)\+\S/.test(query)
      ? []
      : await askRanker(context, context.embeddingRanker, { ...request, limit: depth });
  const names = Array.from(new Set([...byName, ...fuseScores(byWords, byMeaning)])).slice(0, limit);
  return names.flatMap((name) => catalog.tools.get(foldCase(name))?.definition ?? []);
}

/**
 * Tools by name, in the order asked for, each once: by local name, or by a remote name that only
 * one tool has.
 */
export function findByName(
  { search }: RankContext,
  { catalog, allows }: Pick<RankQuery, "catalog" | "allows">,
  names: readonly string[],
): { readonly found: readonly ToolDefinition[]; readonly unknown: readonly string[] } {
  const found = new Map<string, ToolDefinition>();
  const unknown: string[] = [];
  for (const name of names.map((given) => given.trim()).filter((given) => given !== "")) {
    const definition = catalog.tools.get(foldCase(name))?.definition ?? findByAlias(search, catalog, { name, allows });
    if (definition !== undefined && allows(definition.name)) found.set(definition.name, definition);
    else unknown.push(name);
  }
  return { found: Array.from(found.values()), unknown };
}

function findByAlias(
  search: CatalogSearch,
  catalog: ToolboxCatalog,
  { name, allows }: { readonly name: string; readonly allows: (name: string) => boolean },
): ToolDefinition | undefined {
  const hits = search.search(catalog, name, { limit: 2, allows }).filter(({ match }) => match === "exact");
  return hits.length === 1 && hits[0] !== undefined ? catalog.tools.get(foldCase(hits[0].name))?.definition : undefined;
}

async function askRanker(
  { onDiagnostic }: RankContext,
  ranker: EmbeddingRanker,
  { catalog, query, limit, allows, signal, context }: RankQuery,
): Promise<readonly ScoredName[]> {
  const definitions = catalog.definitions.filter(({ name }) => allows(name));
  try {
    const scored = await runWithDeadline(
      { what: "the embedding ranker", timeoutMs: rankerTimeoutMs, signal },
      (deadline) => ranker({ query, definitions, limit, signal: deadline.signal, ...(context && { context }) }),
    );
    const known = new Set(definitions.map(({ name }) => name));
    return scored
      .filter(({ name, score }) => known.has(name) && Number.isFinite(score))
      .map(({ name, score }) => ({ name, score: Math.max(0, Math.min(1, score)) }))
      .slice(0, limit);
  } catch (error) {
    if (signal?.aborted) throw error;
    onDiagnostic({
      kind: "fallback",
      serverId: "",
      message: `the embedding ranker failed (${describeRankingError(error)}); words alone decide`,
    });
    return [];
  }
}

/** Describes an error without the message of a foreign one, which may quote a secret. */
export function describeRankingError(error: unknown): string {
  if (isHostsideError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
