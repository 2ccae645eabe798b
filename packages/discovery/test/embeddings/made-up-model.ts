import type { Embedder } from "../../src/index.ts";

// Words of one line mean the same to it; of some, nobody else knows what they mean.
const concepts: readonly string[] = [
  "post message tell wibble",
  "list channels rooms",
  "create issue bug ticket",
  "list issues backlog",
  "merge pull request land",
];

/** Where a text points: to the concepts whose words it has. Deterministic. */
export function meaningOf(text: string): readonly number[] {
  const words = new Set(text.toLowerCase().split(/[^a-z]+/));
  const shares = concepts.map((line) => line.split(" ").filter((word) => words.has(word)).length);
  return [...shares, 0.1];
}

/** An embedder that a test holds in its hand. */
export interface MadeUpModel extends Embedder {
  /** The texts of each request, in order. */
  readonly requests: readonly (readonly string[])[];
  /** What the next requests are answered with. Default: {@linkcode meaningOf}. */
  answer: (texts: readonly string[], signal: AbortSignal) => Promise<readonly ArrayLike<number>[]>;
}

export function madeUpModel(): MadeUpModel {
  const requests: (readonly string[])[] = [];
  const model: MadeUpModel = {
    requests,
    answer: async (texts) => texts.map(meaningOf),
    embed(texts, { signal }) {
      requests.push(texts);
      return model.answer(texts, signal);
    },
  };
  return model;
}
