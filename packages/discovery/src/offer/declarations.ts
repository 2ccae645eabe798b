import type { ToolDefinition } from "@hostside/core";
import { foldCase, sameDefinition } from "@hostside/core/implement";

/** The limits of one declaration. */
export interface DeclareLimits {
  /**
   * Most tokens of everything declared. Wanted tools stay, whatever they cost: the caller has
   * counted them.
   */
  readonly maxToolTokens: number;
  readonly costOf: (definition: ToolDefinition) => number;
  /**
   * How much it matters that a tool that is not wanted stays declared, by folded name: the least
   * first to go.
   */
  readonly worthOf: (key: string) => number;
}

/**
 * The definitions that one conversation has declared to its model, in an order that only ever grows
 * at the end: a prompt that starts with them stays in the cache of the model's provider while tools
 * come and go. `maxToolTokens` comes first: what gives way to it leaves a gap.
 */
export interface Declarations {
  /**
   * Declares what is wanted and returns everything declared. New tools go to the end; what changed
   * is replaced in its place, because a wrong schema costs more than a missed cache; what is not
   * wanted any more stays, as long as `maxToolTokens` has room for it.
   */
  declare(wanted: readonly ToolDefinition[], limits: DeclareLimits): readonly ToolDefinition[];
  has(name: string): boolean;
  /** Notes a definition that the model read elsewhere, in an answer. */
  show(definition: ToolDefinition): void;
  /** The definition under this name that the model read last. */
  shown(name: string): ToolDefinition | undefined;
  /** Forgets everything. */
  clear(): void;
}

interface Declared {
  /** The declared object; kept for equal ones, so that its JSON stays the same to the byte. */
  readonly definition: ToolDefinition;
  /** The object that it was compared with last. */
  readonly compared: ToolDefinition;
}

/** An empty list. */
export function createDeclarations(): Declarations {
  const declared = new Map<string, Declared>();
  // What was read since it was declared, or is not declared any more: of all others that is what
  // was declared last.
  const shown = new Map<string, ToolDefinition>();
  return {
    declare(wanted, { maxToolTokens, costOf, worthOf }) {
      const kept = new Set<string>();
      for (const compared of wanted) {
        const key = foldCase(compared.name);
        kept.add(key);
        shown.delete(key);
        const before = declared.get(key);
        if (before?.compared === compared) continue;
        const isSame = before !== undefined && sameDefinition(before.definition, compared);
        declared.set(key, { definition: isSame ? before.definition : compared, compared });
      }
      if (maxToolTokens < Number.POSITIVE_INFINITY) {
        let total = Array.from(declared.values()).reduce((sum, { definition }) => sum + costOf(definition), 0);
        // From the end, so that as much as can be of the prompt's beginning stays.
        const spare = Array.from(declared).filter(([key]) => !kept.has(key));
        for (const [key, left] of spare.toReversed().sort(([a], [b]) => worthOf(a) - worthOf(b))) {
          if (total <= maxToolTokens) break;
          total -= costOf(left.definition);
          declared.delete(key);
          if (!shown.has(key)) shown.set(key, left.compared);
        }
      }
      return Array.from(declared.values(), ({ definition }) => definition);
    },
    has: (name) => declared.has(foldCase(name)),
    show: (definition) => void shown.set(foldCase(definition.name), definition),
    shown(name) {
      const key = foldCase(name);
      return shown.get(key) ?? declared.get(key)?.compared;
    },
    clear() {
      declared.clear();
      shown.clear();
    },
  };
}
