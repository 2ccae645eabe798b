import type { ToolDefinition } from "@hostside/core";
import { assertKnownOptions, assertNames, foldCase, kindOf, type Fields } from "@hostside/core/implement";
import type { ToolboxCatalog } from "../catalog/catalog-snapshot.ts";
import { definitionText, estimateTokens } from "./estimate-tokens.ts";

/** Which definitions to count: all by default, or the named ones, or those of one group. */
export interface TokenScope {
  /** Names of tools, ASCII-case-insensitive. Unknown ones cost nothing. */
  readonly tools?: readonly string[];
  /** Id of a group, such as `mcp:github`, ASCII-case-insensitive. An unknown one costs nothing. */
  readonly group?: string;
}

/** Counts what definitions and answers cost; each definition is read once. */
export interface TokenCounter {
  count(catalog: ToolboxCatalog, scope: TokenScope): number;
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
    count(catalog, scope) {
      assertScope(scope);
      let total = 0;
      for (const definition of definitionsIn(catalog, scope)) total += costOf(definition);
      return total;
    },
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

const scopeFields: Fields<TokenScope> = { tools: true, group: true };

function assertScope(scope: TokenScope): void {
  assertKnownOptions("estimateTokens()", scope, scopeFields);
  const { tools, group } = scope;
  if (tools !== undefined) assertNames("estimateTokens(): tools", tools);
  if (group !== undefined && typeof group !== "string") {
    throw new TypeError(`estimateTokens(): group must be the id of a group, not ${kindOf(group)}`);
  }
}

function estimateOrNot(estimate: (text: string) => unknown, text: string): unknown {
  try {
    return estimate(text);
  } catch {
    return undefined;
  }
}

function definitionsIn({ definitions, tools, groups }: ToolboxCatalog, scope: TokenScope): readonly ToolDefinition[] {
  if (scope.tools === undefined && scope.group === undefined) return definitions;
  const id = foldCase(scope.group?.trim() ?? "");
  const members = groups.find((group) => foldCase(group.id) === id)?.members ?? [];
  const names = new Set([...(scope.tools ?? []), ...members].map(foldCase));
  return Array.from(names).flatMap((name) => tools.get(name)?.definition ?? []);
}
