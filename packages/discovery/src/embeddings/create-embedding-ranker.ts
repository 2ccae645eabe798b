import type { Cancel, Clock, Diagnostic, Random, Store, ToolDefinition } from "@hostside/core";
import {
  assertKnownOptions,
  compareText,
  kindOf,
  systemClock,
  systemRandom,
  type Fields,
} from "@hostside/core/implement";
import type { EmbeddingRanker, EmbeddingRequest, RankedSource } from "../ranking/embedding-ranker.ts";
import type { Embedder } from "./embedder.ts";
import { createEmbeddingClient } from "./embedding-client.ts";
import { createEndpointHealth } from "./endpoint-health.ts";
import { createHourlyBudget, type HourlyBudget } from "./hourly-budget.ts";
import { createKeptVectors } from "./kept-vectors.ts";
import { createQueryVectors, type QueryVectors } from "./query-vectors.ts";
import { likeness } from "./tool-vector.ts";
import { createVectorIndex, type IndexProgress, type VectorIndex } from "./vector-index.ts";

/** Options of {@linkcode createEmbeddingRanker}. */
export interface EmbeddingRankerOptions {
  /** Makes vectors of texts. What tools say and what is searched for goes there. */
  readonly embedder: Embedder;
  /**
   * Keeps vectors for the next start and for other replicas, under a hash of the text and of what
   * made the vector. Default: none does.
   */
  readonly store?: Store | undefined;
  /** How long the store keeps one, in milliseconds. Default 30 days. */
  readonly storeTtlMs?: number | undefined;
  /**
   * Which tools are embedded, of those that are on offer. A rule that throws says no. Default: all.
   */
  readonly include?: ((definition: ToolDefinition) => boolean) | undefined;
  /** Most tools that are embedded. Default 20,000. */
  readonly maxTools?: number | undefined;
  /**
   * Most tokens that are sent in an hour, by estimate, queries included. Default 2,000,000: some
   * 10,000 tools, and room for queries.
   */
  readonly maxTokensPerHour?: number | undefined;
  /** Most requests at the same time while the index is built. Default 2. */
  readonly maxConcurrent?: number | undefined;
  /** Most queries whose vectors are remembered. Default 256. */
  readonly maxQueries?: number | undefined;
  /** How long a request for tools may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a request for a query may take, in milliseconds. A search waits 2 s at most; what
   * comes later is there for the next. Default 10,000.
   */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * Called once when the model or the store fails, until it works again. Called when `maxTools` or
   * `maxTokensPerHour` is reached (`embedding-limit`). Must not throw.
   */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
  /** Default: the runtime's own. */
  readonly random?: Random | undefined;
}

/** How far a ranker is. */
export interface EmbeddingRankerStatus extends IndexProgress {
  /** Tokens sent in the current hour, by estimate. */
  readonly tokensUsed: number;
}

/**
 * A second opinion on searches, by embeddings. May serve several toolboxes; whoever made it closes
 * it.
 */
export interface ReadyEmbeddingRanker extends EmbeddingRanker {
  readonly follow: (source: RankedSource) => Cancel;
  readonly status: () => EmbeddingRankerStatus;
  /** Resolves when every tool has its vector, or nothing can be done for now. Never rejects. */
  readonly whenIdle: () => Promise<void>;
  /**
   * Ends what is under way and forgets everything but what is in the store. Searches go on by
   * words. Idempotent.
   */
  readonly close: () => void;
}

const optionFields: Fields<EmbeddingRankerOptions> = {
  embedder: true,
  store: true,
  storeTtlMs: true,
  include: true,
  maxTools: true,
  maxTokensPerHour: true,
  maxConcurrent: true,
  maxQueries: true,
  timeoutMs: true,
  queryTimeoutMs: true,
  onDiagnostic: true,
  clock: true,
  random: true,
};
const defaults = {
  storeTtlMs: 2_592_000_000,
  maxTools: 20_000,
  maxTokensPerHour: 2_000_000,
  maxConcurrent: 2,
  maxQueries: 256,
  timeoutMs: 30_000,
  queryTimeoutMs: 10_000,
};
const defaultMaxTexts = 64;
// An index of a part would favour that part.
const leastShare = 0.9;

/**
 * Makes a ranker for `createToolbox({ embeddingRanker })`. It embeds what the toolbox has on offer
 * in the background, in batches, and again only what changed; until nine of ten tools that may be
 * found have a vector, it has no opinion. It never throws, and no search waits for the index: an
 * endpoint that fails is let alone for a while, 2 s first and 5 minutes at most, or as long as it
 * asks for.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 */
export function createEmbeddingRanker(options: EmbeddingRankerOptions): ReadyEmbeddingRanker {
  const counts = readOptions(options);
  const { embedder, store, include = () => true } = options;
  const { clock = systemClock, random = systemRandom, onDiagnostic = () => {} } = options;
  const closing = new AbortController();
  const health = createEndpointHealth({ clock, random, onDiagnostic });
  const budget = createHourlyBudget(counts.maxTokensPerHour, { clock, onDiagnostic });
  const client = createEmbeddingClient({ ...counts, embedder, health, budget, clock, closing: closing.signal });
  const kept = createKeptVectors({ store, ttlMs: counts.storeTtlMs, clock, onDiagnostic });
  const maxTexts = embedder.maxTexts ?? defaultMaxTexts;
  const index = createVectorIndex({ ...counts, id: embedder.id, client, kept, include, maxTexts, clock, onDiagnostic });
  const queries = createQueryVectors(client, counts.maxQueries);
  const rank = async (request: EmbeddingRequest): Promise<readonly string[]> =>
    closing.signal.aborted ? [] : rankByMeaning({ index, queries }, request);
  return Object.assign(rank, {
    follow: (source: RankedSource): Cancel => (closing.signal.aborted ? () => {} : index.follow(source)),
    status: () => statusOf(index, budget),
    whenIdle: () => index.whenIdle(),
    close: () => {
      closing.abort();
      index.close();
    },
  });
}

function statusOf(index: VectorIndex, budget: HourlyBudget): EmbeddingRankerStatus {
  return { ...index.progress, tokensUsed: budget.used };
}

async function rankByMeaning(
  { index, queries }: { readonly index: VectorIndex; readonly queries: QueryVectors },
  { query, definitions, limit, signal }: EmbeddingRequest,
): Promise<readonly string[]> {
  index.note(definitions);
  const found = definitions.flatMap((definition) => {
    const vector = index.find(definition);
    return vector === "left-out" ? [] : [{ name: definition.name, vector }];
  });
  const ready = found.flatMap(({ name, vector }) => (vector === undefined ? [] : [{ name, vector }]));
  if (ready.length === 0 || ready.length < found.length * leastShare) return [];
  const direction = await queries.find(query, signal);
  if (direction === undefined) return [];
  const alike = ready.filter(({ vector }) => vector.bytes.length === direction.length);
  if (alike.length < ready.length) index.redoOthers(direction.length);
  if (alike.length < found.length * leastShare) return [];
  return alike
    .map(({ name, vector }) => ({ name, score: likeness(direction, vector) }))
    .sort((a, b) => b.score - a.score || compareText(a.name, b.name))
    .slice(0, limit)
    .map(({ name }) => name);
}

function readOptions(options: EmbeddingRankerOptions): typeof defaults {
  assertKnownOptions("createEmbeddingRanker()", options, optionFields);
  const { embedder, store } = options;
  if (typeof embedder?.id !== "string" || embedder.id === "" || typeof embedder.embed !== "function") {
    throw new TypeError("embedder must have an id and a function embed");
  }
  if (embedder.maxTexts !== undefined) assertCount("embedder.maxTexts", embedder.maxTexts);
  if (store !== undefined && !(typeof store?.get === "function" && typeof store.set === "function")) {
    throw new TypeError("store must have the functions get and set");
  }
  for (const name of ["include", "onDiagnostic", "random"] as const) {
    if (options[name] === undefined || typeof options[name] === "function") continue;
    throw new TypeError(`${name} must be a function, not ${kindOf(options[name])}`);
  }
  const { clock } = options;
  if (clock !== undefined && !(typeof clock?.now === "function" && typeof clock.schedule === "function")) {
    throw new TypeError("clock must have the functions now and schedule");
  }
  const counts = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof typeof defaults)[]) {
    counts[name] = assertCount(name, options[name] ?? defaults[name]);
  }
  return counts;
}

function assertCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`${name} must be a whole number of 1 or more`);
}
