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

/** An empty list. */
export function createDeclarations(): Declarations {
  const declared = new Map<string, ToolDefinition>();
  return {
    declare(wanted) {
      for (const definition of wanted) {
        const key = foldName(definition.name);
        const before = declared.get(key);
        // The object that was declared first is kept for what is equal, so that its JSON stays the same to the byte.
        if (before === undefined || !isSameDefinition(before, definition)) declared.set(key, definition);
      }
      return Array.from(declared.values());
    },
    has: (name) => declared.has(foldName(name)),
    clear: () => declared.clear(),
  };
}
