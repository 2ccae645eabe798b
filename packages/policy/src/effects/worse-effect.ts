import type { ToolEffect } from "@hostside/core";

/** All effects, the least dangerous first. */
export const toolEffects: readonly ToolEffect[] = ["pure", "idempotent-write", "non-idempotent-write", "external"];

/** The more dangerous one of two effects. */
export function worseEffect(a: ToolEffect, b: ToolEffect): ToolEffect {
  return toolEffects.indexOf(a) >= toolEffects.indexOf(b) ? a : b;
}

/** Whether an effect does more harm than another one. */
export function isWorseEffect(effect: ToolEffect, than: ToolEffect): boolean {
  return worseEffect(effect, than) !== than;
}
