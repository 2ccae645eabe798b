import {
  isHostsideError,
  type Cancel,
  type Clock,
  type Diagnostic,
  type Store,
  type ToolDefinition,
} from "@hostside/core";
import {
  assertKnownOptions,
  compareText,
  kindOf,
  systemClock,
  untilAborted,
  type Fields,
} from "@hostside/core/implement";
import type { EmbeddingRanker, EmbeddingRequest, RankedSource, ScoredName } from "../ranking/embedding-ranker.ts";
import { createEmbeddingEndpoint, type Embedder, type EmbeddingEndpoint } from "./embedding-endpoint.ts";
import { likeness } from "./tool-vector.ts";
import { VectorIndex, type IndexProgress } from "./vector-index.ts";

/** Options of {@linkcode createEmbeddingRanker}. */
export interface EmbeddingRankerOptions {
  /** Makes vectors of texts. What tools say and what is searched for goes there. */
  readonly embedder: Embedder;
  /**
   * Keeps vectors for 30 days, for the next start and for other replicas, under a hash of the text
   * and of the embedder's id. Default: none does.
   */
  readonly store?: Store | undefined;
  /** Says which of the tools on offer are embedded. One that throws says no. Default: all. */
  readonly include?: ((definition: ToolDefinition) => boolean) | undefined;
  /** Default: the real time. */
  readonly clock?: Clock | undefined;
}

/**
 * A second opinion on searches, by embeddings. May serve several toolboxes; whoever made it closes
 * it.
 */
export interface ReadyEmbeddingRanker extends EmbeddingRanker {
  readonly follow: (source: RankedSource) => Cancel;
  readonly status: () => IndexProgress;
  /** Resolves when every tool has its vector, or nothing can be done for now. Never rejects. */
  readonly whenIdle: () => Promise<void>;
  /**
   * Ends what is under way and forgets everything but what is in the store. Searches go on by
   * words. Idempotent.
   */
  readonly close: () => void;
}

const optionFields: Fields<EmbeddingRankerOptions> = { embedder: true, store: true, include: true, clock: true };
// An index of a part would favour that part.
const leastShare = 0.9;
// A likeness that so many standard deviations stand out from those of all tools is more than
// chance.
const leastDeviations = 4;

/**
 * Makes a ranker for `createToolbox({ embeddingRanker })`. It embeds what the toolbox offers in the
 * background, and again only what changed. Until nine of ten tools have a vector, it has no
 * opinion, and none of tools whose likeness to the query does not stand out. It never throws, and
 * no search waits for the index. The toolbox's `onDiagnostic` hears once of an endpoint or a store
 * that fails.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 *
 * @example
 * ```ts
 * const embedder = createOpenAiEmbedder({ url: "http://localhost:11434/v1/embeddings", model: "nomic-embed-text" });
 * const toolbox = createToolbox({ embeddingRanker: createEmbeddingRanker({ embedder }) });
 * ```
 */
export function createEmbeddingRanker(options: EmbeddingRankerOptions): ReadyEmbeddingRanker {
  assertOptions(options);
  const { embedder, store, include = () => true, clock = systemClock } = options;
  const closing = new AbortController();
  const sources = new Set<RankedSource>();
  const report = (diagnostic: Diagnostic): void => {
    for (const source of sources) source.report(diagnostic);
  };
  const endpoint = createEmbeddingEndpoint(embedder, { clock, closing: closing.signal, report });
  const index = new VectorIndex({ id: embedder.id, endpoint, store, include, clock, report });
  const queries = new QueryVectors(endpoint);
  return Object.assign(
    async (request: EmbeddingRequest): Promise<readonly ScoredName[]> =>
      closing.signal.aborted ? [] : rankByMeaning(index, queries, request),
    {
      follow(source: RankedSource): Cancel {
        if (closing.signal.aborted) return () => {};
        sources.add(source);
        const unfollow = index.follow(source);
        return () => {
          sources.delete(source);
          unfollow();
        };
      },
      status: () => index.progress,
      whenIdle: () => index.whenIdle(),
      close: () => {
        closing.abort();
        index.close();
      },
    },
  );
}

async function rankByMeaning(
  index: VectorIndex,
  queries: QueryVectors,
  { query, definitions, limit, signal }: EmbeddingRequest,
): Promise<readonly ScoredName[]> {
  const found = definitions.flatMap((definition) => {
    const vector = index.find(definition);
    return vector === "left-out" ? [] : [{ name: definition.name, vector }];
  });
  const ready = found.flatMap(({ name, vector }) => (vector === undefined ? [] : [{ name, vector }]));
  if (ready.length === 0 || ready.length < found.length * leastShare) return [];
  const direction = await queries.find(query, signal);
  if (direction === undefined) return [];
  const alike = ready.filter(({ vector }) => vector.bytes.length === direction.length);
  if (alike.length < ready.length) index.keepOnly(direction.length);
  if (alike.length < found.length * leastShare) return [];
  const scored = alike.map(({ name, vector }) => ({ name, score: likeness(direction, vector) }));
  const least = leastScore(scored);
  return scored
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || compareText(a.name, b.name))
    .slice(0, limit);
}

/** How alike a tool must be to stand out; of few tools, none can by much. */
function leastScore(scored: readonly ScoredName[]): number {
  const mean = scored.reduce((sum, { score }) => sum + score, 0) / scored.length;
  const variance = scored.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / scored.length;
  return mean + Math.min(leastDeviations, Math.sqrt(scored.length - 1) / 2) * Math.sqrt(variance);
}

// Each search that waits holds one; beyond that, the endpoint is not what helps.
const mostUnderWay = 16;
const mostRemembered = 256;
const maxQueryLength = 1000;

/**
 * Remembers the vectors of the latest queries. Who asks the same at the same time shares one
 * request.
 */
class QueryVectors {
  readonly #endpoint: EmbeddingEndpoint;
  readonly #known = new Map<string, Float32Array>();
  readonly #underWay = new Map<string, Promise<Float32Array | undefined>>();

  constructor(endpoint: EmbeddingEndpoint) {
    this.#endpoint = endpoint;
  }

  /** `undefined` when it cannot be had now, or not before the signal aborts. Never rejects. */
  async find(query: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const text = query.trim().slice(0, maxQueryLength);
    if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
    const known = this.#known.get(text);
    if (known !== undefined) {
      this.#remember(text, known);
      return known;
    }
    const work = this.#underWay.get(text) ?? this.#ask(text);
    try {
      // What comes later is there for the next search.
      return await untilAborted(work, signal);
    } catch (error) {
      // Too slow for one search is too slow for the next ones.
      if (isHostsideError(error, "call_timeout")) this.#endpoint.failed(error);
      return undefined;
    }
  }

  async #ask(text: string): Promise<Float32Array | undefined> {
    if (this.#endpoint.restMs() > 0 || this.#underWay.size >= mostUnderWay) return undefined;
    const work = this.#endpoint
      .embed([text], "query")
      .then(
        ([vector]) => (vector === undefined ? undefined : this.#remember(text, vector)),
        (error: unknown) => {
          this.#endpoint.failed(error);
          return undefined;
        },
      )
      .finally(() => this.#underWay.delete(text));
    this.#underWay.set(text, work);
    return work;
  }

  #remember(text: string, vector: Float32Array): Float32Array {
    this.#known.delete(text);
    this.#known.set(text, vector);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostRemembered && oldest !== undefined) this.#known.delete(oldest);
    return vector;
  }
}

function assertOptions(options: EmbeddingRankerOptions): void {
  assertKnownOptions("createEmbeddingRanker()", options, optionFields);
  const { embedder, store, include, clock } = options;
  if (typeof embedder?.id !== "string" || embedder.id === "" || typeof embedder.embed !== "function") {
    throw new TypeError("embedder must have an id and a function embed");
  }
  if (store !== undefined && !(typeof store?.get === "function" && typeof store.set === "function")) {
    throw new TypeError("store must have the functions get and set");
  }
  if (include !== undefined && typeof include !== "function") {
    throw new TypeError(`include must be a function, not ${kindOf(include)}`);
  }
  if (clock !== undefined && !(typeof clock?.now === "function" && typeof clock.schedule === "function")) {
    throw new TypeError("clock must have the functions now and schedule");
  }
}
