import type { ToolDefinition } from "@hostside/core";

/** Where tools that were found go. */
export interface Placement {
  /** Names of those that the next declaration has. */
  readonly placed: ReadonlySet<string>;
  /**
   * The first one of all, if it alone costs more than there is room for: it can be shown in an
   * answer at best.
   */
  readonly tooLarge: ToolDefinition | undefined;
}

/** What there is room for. */
export interface PlaceLimits {
  /** Declared anyway. */
  readonly free: ReadonlySet<ToolDefinition>;
  /** Tokens for all others. */
  readonly room: number;
  /** How many others. */
  readonly places: number;
  readonly costOf: (definition: ToolDefinition) => number;
}

/**
 * Places the first ones of `found` that have room; `chosen` are the names to select, at most as
 * many as there are places.
 */
export function placeTools(
  found: readonly ToolDefinition[],
  { free, room, places, costOf }: PlaceLimits,
): Placement & { readonly chosen: readonly string[] } {
  const placed = new Set<string>();
  const chosen: string[] = [];
  let left = room;
  let taken = 0;
  let tooLarge: ToolDefinition | undefined;
  for (const definition of found) {
    if (!free.has(definition)) {
      const cost = costOf(definition);
      if (cost > room && taken === 0 && tooLarge === undefined) {
        tooLarge = definition;
        continue;
      }
      if (cost > left || taken >= places) break;
      left -= cost;
      taken += 1;
    }
    placed.add(definition.name);
    if (chosen.length < places) chosen.push(definition.name);
  }
  return { placed, tooLarge, chosen };
}
