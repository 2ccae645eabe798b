import type { ToolDefinition } from "@hostside/core";

/** Where tools that were found go. */
export interface Placement {
  /** Names of those that the next declaration has. */
  readonly placed: ReadonlySet<string>;
  /** Those that alone cost more than there is room for. No declaration will ever have them. */
  readonly tooLarge: ReadonlySet<ToolDefinition>;
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
 * Places those of `found` that have room, the first ones first. One that is too large costs no
 * other its place. `chosen` are the names to select, at most as many as there are places.
 */
export function placeTools(
  found: readonly ToolDefinition[],
  { free, room, places, costOf }: PlaceLimits,
): Placement & { readonly chosen: readonly string[] } {
  const placed = new Set<string>();
  const chosen: string[] = [];
  let left = room;
  let taken = 0;
  const tooLarge = new Set<ToolDefinition>();
  for (const definition of found) {
    if (!free.has(definition)) {
      const cost = costOf(definition);
      if (cost > room) tooLarge.add(definition);
      if (taken >= places) break;
      if (cost > left) continue;
      left -= cost;
      taken += 1;
    }
    placed.add(definition.name);
    if (chosen.length < places) chosen.push(definition.name);
  }
  return { placed, tooLarge, chosen };
}
