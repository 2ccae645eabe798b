import { HostsideError, isHostsideError, type Clock, type Diagnostic } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import { toDirection } from "./tool-vector.ts";

/** Makes vectors of texts, such as {@linkcode createOpenAiEmbedder} does. */
export interface Embedder {
  /**
   * Names what decides how a vector looks: the model, where it runs, its dimensions. Vectors in a
   * store are kept under it.
   */
  readonly id: string;
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

/** An embedder that is let alone for a while after a failure. */
export interface EmbeddingEndpoint {
  /** Rejects with what the embedder throws, or with why its answer is of no use. */
  embed(texts: readonly string[], purpose: "tool" | "query"): Promise<readonly Float32Array[]>;
  /** Lets it alone: for 2 s first, doubled up to 5 minutes, or for as long as it asks for. */
  failed(error: unknown): void;
  /** For how long nothing is to be sent, in milliseconds; 0: it may be. */
  restMs(): number;
  /** How long the model's vectors are, once it answered. */
  readonly dimensions: number | undefined;
}

const timeoutsMs = { tool: 30_000, query: 10_000 };
const firstRestMs = 2000;
const longestRestMs = 300_000;
// What is wrong with a key or an address is not right a moment later.
const lastingStatus: ReadonlySet<number> = new Set([401, 402, 403, 404, 405]);

/** Puts an embedder behind limits. `report` hears of the first failure until it answers again. */
export function createEmbeddingEndpoint(
  embedder: Embedder,
  {
    clock,
    closing,
    report,
  }: {
    readonly clock: Clock;
    readonly closing: AbortSignal;
    readonly report: (diagnostic: Diagnostic) => void;
  },
): EmbeddingEndpoint {
  let dimensions: number | undefined;
  let failures = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;
  return {
    get dimensions() {
      return dimensions;
    },
    restMs: () => Math.max(0, restsUntil - clock.now()),
    async embed(texts, purpose) {
      const timeoutMs = timeoutsMs[purpose];
      const onTimeout = (): HostsideError =>
        new HostsideError(`no answer within ${formatMs(timeoutMs)}`, { code: "request_timeout" });
      const deadline = createDeadline({ timeoutMs, clock, signal: closing, onTimeout });
      const { signal } = deadline;
      try {
        const work = (async () => embedder.embed(texts, { purpose, signal }))();
        const directions = readAnswer(await untilAborted(work, signal), texts.length, dimensions);
        dimensions = directions[0]?.length;
        failures = 0;
        return directions;
      } finally {
        deadline.dispose();
      }
    },
    failed(error) {
      const { retryAfterMs = 0, httpStatus } = isHostsideError(error) ? error.details : {};
      const isLasting = httpStatus !== undefined && lastingStatus.has(httpStatus);
      const rest = isLasting ? longestRestMs : Math.min(longestRestMs, firstRestMs * 2 ** Math.min(failures, 16));
      restsUntil = Math.max(restsUntil, clock.now() + Math.max(retryAfterMs, rest));
      failures += 1;
      if (failures > 1) return;
      const message = `the embedding model failed (${failureText(error)}); words alone decide until it answers`;
      report({ kind: "fallback", serverId: "", message });
    },
  };
}

/** Says what went wrong, without the message of a foreign error, which may quote a key. */
export function failureText(error: unknown): string {
  if (isHostsideError(error)) return error.message;
  return error instanceof Error ? error.name : typeof error;
}

/** Throws `invalid_output` for anything but one vector a text, all of the length that is known. */
function readAnswer(answer: unknown, count: number, dimensions: number | undefined): readonly Float32Array[] {
  if (!Array.isArray(answer) || answer.length !== count) {
    throw invalid(`${Array.isArray(answer) ? `${answer.length} vectors` : "no list"} for ${count} texts`);
  }
  const directions = Array.from(answer as unknown[], (vector) => {
    if (typeof vector !== "object" || vector === null) throw invalid("what is no vector");
    return toDirection(vector as ArrayLike<number>);
  });
  const length = dimensions ?? directions[0]?.length;
  const other = directions.find((direction) => direction.length !== length);
  if (other !== undefined) throw invalid(`vectors of ${other.length} and of ${length} dimensions`);
  return directions;
}

function invalid(what: string): HostsideError {
  return new HostsideError(`the embedding model answered ${what}`, { code: "invalid_output" });
}
