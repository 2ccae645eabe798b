import type { ToolDefinition } from "@toolport/core";
import { isSameDefinition } from "../catalog/diff-catalogs.ts";
import { foldName } from "../catalog/fold-name.ts";

/**
 * The definitions that one conversation has declared to its model, in an order that only ever grows at the end: a prompt that starts
 * with them stays in the cache of the model's provider while tools come and go.
 */
export interface Declarations {
  /**
   * Declares what is wanted and returns everything declared. What is new goes to the end; what changed is replaced in its place,
   * because a wrong schema costs more than a missed cache; what is not wanted any more stays.
   */
  declare(wanted: readonly ToolDefinition[]): readonly ToolDefinition[];
  has(name: string): boolean;
  /** Forgets everything. */
  clear(): void;
}

interface Declared {
  /** What was declared; kept for equal ones, so that its JSON stays the same to the byte. */
  readonly definition: ToolDefinition;
  /** The object that it was compared with last. */
  readonly compared: ToolDefinition;
}

/** An empty list. */
export function createDeclarations(): Declarations {
  const declared = new Map<string, Declared>();
  return {
    declare(wanted) {
      for (const compared of wanted) {
        const key = foldName(compared.name);
        const before = declared.get(key);
        if (before?.compared === compared) continue;
        const isSame = before !== undefined && isSameDefinition(before.definition, compared);
        declared.set(key, { definition: isSame ? before.definition : compared, compared });
      }
      return Array.from(declared.values(), ({ definition }) => definition);
    },
    has: (name) => declared.has(foldName(name)),
    clear: () => declared.clear(),
  };
}
