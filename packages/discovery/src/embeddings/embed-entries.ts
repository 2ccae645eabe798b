import type { ToolDefinition } from "@hostside/core";
import type { EmbeddingClient } from "./embedding-client.ts";
import type { KeptVectors } from "./kept-vectors.ts";
import { toolText } from "./tool-text.ts";
import { quantize, type ToolVector } from "./tool-vector.ts";

/** What is known of a tool's text. */
export interface EmbeddingEntry {
  readonly key: string;
  /** Whose text it is; until it is embedded. */
  definition: ToolDefinition | undefined;
  state: "pending" | "ready" | "refused";
  /** How often it was refused. */
  refusals: number;
  vector: ToolVector | undefined;
}

/** Who embeds, and within which bounds. */
export interface EmbedParts {
  readonly client: EmbeddingClient;
  readonly kept: KeptVectors;
  readonly maxTexts: number;
  readonly maxConcurrent: number;
}

// A text that was refused so often is not sent again.
const mostRefusals = 3;

/**
 * Takes from the store what it has, and embeds some of the rest. Resolves with how long to wait
 * before the next try, in milliseconds, when nothing more can be done now.
 */
export async function embedEntries(parts: EmbedParts, pending: readonly EmbeddingEntry[]): Promise<number> {
  const { client, kept, maxTexts, maxConcurrent } = parts;
  const some = pending.slice(0, maxTexts * maxConcurrent);
  const stored = await kept.read(
    some.map(({ key }) => key),
    client.dimensions,
  );
  for (const entry of some) {
    const vector = stored.get(entry.key);
    if (vector !== undefined) settle(entry, "ready", vector);
  }
  const rest = some.filter(({ state }) => state === "pending");
  const batches = Array.from({ length: Math.ceil(rest.length / maxTexts) }, (_, index) =>
    rest.slice(index * maxTexts, (index + 1) * maxTexts),
  );
  await Promise.all(batches.map((batch) => embedBatch(parts, batch)));
  const left = rest.filter(({ state }) => state === "pending");
  // At least a moment, so that one that is refused for no reason that shows is not asked in a
  // circle.
  return left.length === 0 ? 0 : Math.max(1000, client.waitMs(textsOf(left.slice(0, maxTexts))));
}

async function embedBatch(parts: EmbedParts, batch: readonly EmbeddingEntry[]): Promise<void> {
  const refused: EmbeddingEntry[] = [];
  const isTried = await tryBatch(parts, batch, refused);
  for (const entry of refused) {
    entry.refusals += 1;
    // Who refuses everything, or stops in between, may not like the request rather than the text.
    const isTheText = isTried && refused.length < batch.length;
    if (isTheText || entry.refusals >= mostRefusals) settle(entry, "refused");
  }
}

/**
 * Halves a batch that is refused until the texts are found that are. Resolves with whether every
 * text was tried.
 */
async function tryBatch(
  parts: EmbedParts,
  batch: readonly EmbeddingEntry[],
  refused: EmbeddingEntry[],
): Promise<boolean> {
  const answer = await parts.client.embed(textsOf(batch), "tool");
  if (answer === "later") return false;
  if (answer === "refused") {
    if (batch.length === 1) return refused.push(...batch) > 0;
    const middle = Math.ceil(batch.length / 2);
    const isTried = await tryBatch(parts, batch.slice(0, middle), refused);
    return isTried && tryBatch(parts, batch.slice(middle), refused);
  }
  const vectors = new Map<string, ToolVector>();
  for (const [index, entry] of batch.entries()) {
    const direction = answer[index];
    if (direction === undefined) continue;
    const vector = quantize(direction);
    settle(entry, "ready", vector);
    vectors.set(entry.key, vector);
  }
  await parts.kept.write(vectors);
  return true;
}

function settle(entry: EmbeddingEntry, state: "ready" | "refused", vector?: ToolVector): void {
  entry.vector = vector;
  entry.state = state;
  entry.definition = undefined;
}

function textsOf(batch: readonly EmbeddingEntry[]): readonly string[] {
  return batch.map(({ definition }) => (definition === undefined ? "" : toolText(definition)));
}
