import { isHostsideError, HostsideError, type Clock } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import type { Embedder } from "./embedder.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { HourlyBudget } from "./hourly-budget.ts";
import { toDirection } from "./tool-vector.ts";

/**
 * How a request ended. `"later"`: it was not sent, or brought nothing of use; `"refused"`: the
 * texts themselves are not to the model's liking.
 */
export type Embedded = readonly Float32Array[] | "later" | "refused";

/** An embedder within its bounds: of time, of cost, and of what is taken for an answer. */
export interface EmbeddingClient {
  /** Never rejects. */
  embed(texts: readonly string[], purpose: "tool" | "query"): Promise<Embedded>;
  /** How long these texts must wait, in milliseconds; 0: they may be sent. */
  waitMs(texts: readonly string[]): number;
  /** How long the model's vectors are, once it answered. */
  readonly dimensions: number | undefined;
}

/** What a client is made from. */
export interface EmbeddingClientInit {
  readonly embedder: Embedder;
  readonly health: EndpointHealth;
  readonly budget: HourlyBudget;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly queryTimeoutMs: number;
  /** Ends every request. */
  readonly closing: AbortSignal;
}

// Bad Request, Payload Too Large and Unprocessable Content are about what was sent, not about who
// was asked.
const aboutTexts: ReadonlySet<number> = new Set([400, 413, 422]);
// Twice what it takes to find one text among 64. Who refuses more in a row likes nothing: it is
// asked for what it does not have.
const mostRefusals = 16;

/** Asks an embedder. */
export function createEmbeddingClient(init: EmbeddingClientInit): EmbeddingClient {
  const { health, budget } = init;
  let dimensions: number | undefined;
  let refusals = 0;
  const costOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    get dimensions() {
      return dimensions;
    },
    waitMs: (texts) => Math.max(health.restMs(), budget.waitMs(costOf(texts))),
    async embed(texts, purpose) {
      if (init.closing.aborted || health.restMs() > 0 || !budget.take(costOf(texts))) return "later";
      try {
        const directions = readAnswer(await ask(init, texts, purpose), texts.length, dimensions);
        dimensions = directions[0]?.length;
        refusals = 0;
        health.answered();
        return directions;
      } catch (error) {
        if (init.closing.aborted) return "later";
        const status = isHostsideError(error) ? error.details.httpStatus : undefined;
        if (status !== undefined && aboutTexts.has(status)) refusals += 1;
        else refusals = 0;
        if (refusals > 0 && refusals < mostRefusals) return "refused";
        health.failed(error);
        return "later";
      }
    },
  };
}

async function ask(
  { embedder, clock, closing, timeoutMs, queryTimeoutMs }: EmbeddingClientInit,
  texts: readonly string[],
  purpose: "tool" | "query",
): Promise<readonly ArrayLike<number>[]> {
  const within = purpose === "query" ? queryTimeoutMs : timeoutMs;
  const onTimeout = (): HostsideError =>
    new HostsideError(`no answer within ${formatMs(within)}`, { code: "request_timeout" });
  const deadline = createDeadline({ timeoutMs: within, clock, signal: closing, onTimeout });
  const work = async (): Promise<readonly ArrayLike<number>[]> =>
    embedder.embed(texts, { purpose, signal: deadline.signal });
  try {
    return await untilAborted(work(), deadline.signal);
  } finally {
    deadline.dispose();
  }
}

/** Throws `invalid_output` for anything but one vector a text, all of the length that is known. */
function readAnswer(answer: unknown, count: number, dimensions: number | undefined): readonly Float32Array[] {
  if (!Array.isArray(answer) || answer.length !== count) {
    const size = Array.isArray(answer) ? `${answer.length} vectors` : "no list";
    throw invalid(`${size} for ${count} texts`);
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
