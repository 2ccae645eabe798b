import { isHostsideError, type CallContext, type Clock, type Diagnostic, type ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { ToolboxCatalog } from "../catalog/catalog-snapshot.ts";
import type { CatalogSearch } from "../catalog/catalog-search.ts";
import { fuseScores, type EmbeddingRanker, type ScoredName } from "./embedding-ranker.ts";
import { runWithDeadline } from "../catalog/run-with-deadline.ts";

/** What a ranking needs to know. */
export interface RankContext {
  readonly search: CatalogSearch;
  readonly embeddingRanker: EmbeddingRanker | undefined;
  readonly clock: Clock;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** One ranking. */
export interface RankQuery {
  readonly catalog: ToolboxCatalog;
  readonly query: string;
  readonly limit: number;
  readonly allows: (name: string) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** Who asks; for the ranker alone. */
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
  { clock, onDiagnostic }: RankContext,
  ranker: EmbeddingRanker,
  { catalog, query, limit, allows, signal, context }: RankQuery,
): Promise<readonly ScoredName[]> {
  const definitions = catalog.definitions.filter(({ name }) => allows(name));
  try {
    const scored = await runWithDeadline(
      { what: "the embedding ranker", timeoutMs: rankerTimeoutMs, signal, clock },
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

/** What went wrong without the message of a foreign error, which may quote a secret. */
export function describeRankingError(error: unknown): string {
  if (isHostsideError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
