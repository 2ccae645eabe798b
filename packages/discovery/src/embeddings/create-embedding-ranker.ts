import {
  type Cancel,
  type Diagnostic,
  HostsideError,
  type ToolDefinition,
  cleanText,
  isHostsideError,
} from "@hostside/core";
import { clock, assertKnownOptions, compareText, untilAborted, runWithDeadline } from "@hostside/core/implement";
import { readSentences, stripPreface } from "../catalog/excerpt.ts";
import {
  describeRankingError,
  type EmbeddingRanker,
  type EmbeddingRequest,
  type RankedSource,
  type ScoredName,
} from "../ranking/rank-tools.ts";

/** Makes vectors of texts, such as {@linkcode createOpenAiEmbedder} does. */
export interface Embedder {
  /**
   * Makes one vector for each text, in their order, all of the same length. `purpose` says what the
   * texts are, for models that want a prefix. May throw; `details.retryAfterMs` of a
   * `HostsideError` says when to come back.
   */
  embed(
    texts: readonly string[],
    options: { readonly purpose: "tool" | "query"; readonly signal: AbortSignal },
  ): PromiseLike<readonly ArrayLike<number>[]>;
}

/**
 * A second opinion on searches, by embeddings. May serve several toolboxes. The product that makes
 * it closes it.
 */
export interface ReadyEmbeddingRanker extends EmbeddingRanker {
  readonly follow: (source: RankedSource) => Cancel;
  /** How many tools on offer have their vector, and how many do not. */
  readonly status: () => { readonly ready: number; readonly pending: number };
  /** Resolves when every tool has its vector, or nothing can be done for now. Never rejects. */
  readonly whenIdle: () => Promise<void>;
  /** Ends what is under way and forgets everything. Searches go on by words. Idempotent. */
  readonly close: () => void;
}

// Texts of one request.
const mostTexts = 64;
const timeoutsMs = { tool: 30_000, query: 10_000 };
// After a failure the model is let alone, for twice as long each time.
const firstRestMs = 2000;
const longestRestMs = 300_000;
const mostQueries = 256;
const maxQueryLength = 1000;
// An index of a part would favour that part.
const leastShare = 0.9;
// A likeness that so many standard deviations stand out from those of all tools is more than
// chance.
const leastDeviations = 4;

/**
 * Makes a ranker for `createToolbox({ embeddingRanker })`. It embeds what the toolbox offers in the
 * background, and again only what changed. Until nine of ten tools have a vector, it has no
 * opinion, and none of tools whose likeness to the query does not stand out. It never throws, and
 * no search waits for the index. The toolbox's `onDiagnostic` hears once of a model that fails.
 *
 * Throws a `TypeError` for an embedder that it cannot use.
 *
 * @example
 * ```ts
 * const url = "http://localhost:11434/v1/embeddings";
 * const embedder = createOpenAiEmbedder({ url, model: "nomic-embed-text" });
 * const toolbox = createToolbox({ embeddingRanker: createEmbeddingRanker({ embedder }) });
 * ```
 */
export function createEmbeddingRanker(options: { readonly embedder: Embedder }): ReadyEmbeddingRanker {
  assertKnownOptions("createEmbeddingRanker()", options, { embedder: true });
  const { embedder } = options;
  if (typeof embedder?.embed !== "function") throw new TypeError("embedder must have a function embed");
  const closing = new AbortController();
  const sources = new Set<RankedSource>();
  const vectors = new Map<string, Float32Array>();
  let running: Promise<void> | undefined;
  let cancelRetry: Cancel = () => {};
  const report = (diagnostic: Diagnostic): void => {
    for (const source of sources) source.report(diagnostic);
  };
  const model = createModel(embedder, closing.signal, report);
  const queries = { model, known: new Map<string, Promise<Float32Array | undefined>>() };
  const textsOnOffer = (): ReadonlySet<string> =>
    new Set(Array.from(sources).flatMap((source) => source.tools().map(toolText)));
  const run = async (): Promise<void> => {
    // A toolbox is followed while it is made.
    await Promise.resolve();
    while (!closing.signal.aborted) {
      const offered = textsOnOffer();
      for (const text of vectors.keys()) if (!offered.has(text)) vectors.delete(text);
      const missing = Array.from(offered)
        .filter((text) => !vectors.has(text))
        .slice(0, mostTexts);
      const made = missing.length === 0 ? [] : await model.embed(missing, "tool");
      if (made === undefined && !closing.signal.aborted) {
        cancelRetry = clock.schedule(Math.max(1000, model.restMs()), start);
      }
      if (made === undefined || missing.length === 0) break;
      for (const [at, vector] of made.entries()) vectors.set(missing[at] ?? "", vector);
    }
    running = undefined;
  };
  const start = (): void => {
    if (closing.signal.aborted || running !== undefined) return;
    cancelRetry();
    running = run();
  };
  const rank = async ({ query, definitions, limit, signal }: EmbeddingRequest): Promise<readonly ScoredName[]> => {
    const ready = definitions.flatMap((definition) => {
      const vector = vectors.get(toolText(definition));
      return vector === undefined ? [] : [{ name: definition.name, vector }];
    });
    if (ready.length === 0 || ready.length < definitions.length * leastShare) return [];
    const direction = await findQuery(queries, query, signal);
    return direction === undefined ? [] : standingOut(ready, direction).slice(0, limit);
  };
  return Object.assign(rank, {
    follow(source: RankedSource): Cancel {
      if (closing.signal.aborted) return () => {};
      sources.add(source);
      const unsubscribe = source.onToolsChanged(start);
      start();
      return () => {
        unsubscribe();
        sources.delete(source);
        start();
      };
    },
    status() {
      const offered = textsOnOffer();
      const ready = Array.from(offered).filter((text) => vectors.has(text)).length;
      return { ready, pending: offered.size - ready };
    },
    whenIdle: async () => await running,
    close() {
      closing.abort();
      cancelRetry();
      for (const known of [sources, vectors, queries.known]) known.clear();
    },
  });
}

interface Model {
  /** One vector for each text; `undefined` where the model fails, or rests. Never rejects. */
  readonly embed: (texts: readonly string[], purpose: "tool" | "query") => Promise<readonly Float32Array[] | undefined>;
  /** Lets the model rest. */
  readonly fail: (error: unknown) => void;
  readonly restMs: () => number;
}

/** Asks an embedder, and lets it rest after a failure. */
function createModel(embedder: Embedder, closing: AbortSignal, report: (diagnostic: Diagnostic) => void): Model {
  let failures = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;

  const fail = (error: unknown): void => {
    const { retryAfterMs = 0 } = isHostsideError(error) ? error.details : {};
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(failures, 16));
    restsUntil = Math.max(restsUntil, clock.now() + Math.max(retryAfterMs, restMs));
    failures += 1;
    if (failures > 1) return;
    const message = `the embedding model failed (${describeRankingError(error)}); words alone decide until it answers`;
    report({ kind: "fallback", serverId: "", message });
  };
  const embed = async (
    texts: readonly string[],
    purpose: "tool" | "query",
  ): Promise<readonly Float32Array[] | undefined> => {
    if (closing.aborted || clock.now() < restsUntil) return undefined;
    const allowance = { what: "the embedding model", timeoutMs: timeoutsMs[purpose], signal: closing };
    try {
      const answer = await runWithDeadline(allowance, ({ signal }) => embedder.embed(texts, { purpose, signal }));
      const directions = readVectors(answer, texts.length);
      failures = 0;
      return directions;
    } catch (error) {
      if (!closing.aborted) fail(error);
      return undefined;
    }
  };
  return { embed, fail, restMs: () => restsUntil - clock.now() };
}

/**
 * The vector of a query; `undefined` when it cannot be had now, or not before the signal aborts.
 */
async function findQuery(
  { model, known }: { readonly model: Model; readonly known: Map<string, Promise<Float32Array | undefined>> },
  query: string,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const text = query.trim().slice(0, maxQueryLength);
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  const work = known.get(text) ?? model.embed([text], "query").then((made) => made?.[0]);
  known.delete(text);
  known.set(text, work);
  for (const [oldest] of known) if (known.size > mostQueries) known.delete(oldest);
  try {
    // What comes later is there for the next search.
    const vector = await untilAborted(work, signal);
    if (vector === undefined) known.delete(text);
    return vector;
  } catch (error) {
    // Too slow for one search is too slow for the next ones.
    if (isHostsideError(error, "call_timeout")) model.fail(error);
    return undefined;
  }
}

/** The tools whose likeness to the query stands out, most alike first. */
function standingOut(
  tools: readonly { readonly name: string; readonly vector: Float32Array }[],
  direction: Float32Array,
): readonly ScoredName[] {
  const scored = tools.map(({ name, vector }) => ({ name, score: likeness(direction, vector) }));
  const least = leastScore(scored);
  return scored.filter(({ score }) => score >= least).sort((a, b) => b.score - a.score || compareText(a.name, b.name));
}

/** How alike a tool must be to stand out; of few tools, none can by much. */
function leastScore(scored: readonly ScoredName[]): number {
  const mean = scored.reduce((sum, { score }) => sum + score, 0) / scored.length;
  const variance = scored.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / scored.length;
  return mean + Math.min(leastDeviations, Math.sqrt(scored.length - 1) / 2) * Math.sqrt(variance);
}

// The cosine of two vectors of length 1; 0 for a model that has changed its dimensions.
function likeness(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Vectors of length 1. Throws `invalid_output` for anything but one vector a text. */
function readVectors(answer: unknown, count: number): readonly Float32Array[] {
  const invalid = (what: string): HostsideError =>
    new HostsideError(`the embedding model answered ${what}`, { code: "invalid_output" });
  if (!Array.isArray(answer) || answer.length !== count) throw invalid(`no list of ${count} vectors`);
  return answer.map((vector: ArrayLike<number>) => {
    const direction = Float32Array.from(vector ?? []);
    const norm = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
    if (!Number.isFinite(norm) || norm === 0) throw invalid("what is no vector");
    if (vector.length !== answer[0]?.length) throw invalid("vectors of several lengths");
    return direction.map((value) => value / norm);
  });
}

const texts = new WeakMap<ToolDefinition, string>();
const maxLength = 500;

/**
 * Returns the text that is embedded of a tool: its names and the first sentence of its description.
 */
function toolText(definition: ToolDefinition): string {
  const known = texts.get(definition);
  if (known !== undefined) return known;
  const { name, title, annotations, origin } = definition;
  const names = [origin?.serverId, origin?.toolName ?? name, title ?? annotations?.title].map(inWords);
  const [sentence] = readSentences(stripPreface(definition));
  const text = cleanText([...names, sentence?.text ?? ""].filter((part) => part !== "").join(": "), maxLength);
  texts.set(definition, text);
  return text;
}

function inWords(name: string | undefined): string {
  return (name ?? "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[\s_./-]+/g, " ")
    .trim();
}
