import type { ToolDefinition } from "@hostside/core";
import { definitionText, estimateTokens } from "./estimate-tokens.ts";

/** Counts what definitions and answers cost; each definition is read once. */
export interface TokenCounter {
  readonly costOf: (definition: ToolDefinition) => number;
  readonly costOfText: (text: string) => number;
  /** Whether all together cost no more than `maxToolTokens`. Stops reading when they do not. */
  fits(definitions: readonly ToolDefinition[], maxToolTokens: number): boolean;
}

/**
 * A counter that remembers what it read for as long as somebody has the definition. Where
 * `estimate` throws, or answers anything but a number of 0 or more, {@linkcode estimateTokens}
 * stands in: with what is no number, every limit would be kept by anything.
 */
export function createTokenCounter(estimate: (text: string) => number): TokenCounter {
  const costOfText = (text: string): number => {
    const tokens = estimateOrNot(estimate, text);
    return typeof tokens === "number" && tokens >= 0 ? tokens : estimateTokens(text);
  };
  const counted = new WeakMap<ToolDefinition, number>();
  const costOf = (definition: ToolDefinition): number => {
    let tokens = counted.get(definition);
    if (tokens === undefined) {
      tokens = costOfText(definitionText(definition));
      counted.set(definition, tokens);
    }
    return tokens;
  };
  return {
    costOf,
    costOfText,
    fits(definitions, maxToolTokens) {
      if (maxToolTokens === Number.POSITIVE_INFINITY) return true;
      let left = maxToolTokens;
      return definitions.every((definition) => {
        left -= costOf(definition);
        return left >= 0;
      });
    },
  };
}

function estimateOrNot(estimate: (text: string) => unknown, text: string): unknown {
  try {
    return estimate(text);
  } catch {
    return undefined;
  }
}
