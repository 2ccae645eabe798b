import type { ToolEffect } from "./tool.ts";

const known: Readonly<Record<ToolEffect, true>> = {
  pure: true,
  "idempotent-write": true,
  "non-idempotent-write": true,
  external: true,
};

/** All of them, the least harmful first. */
export const toolEffects: readonly string[] = Object.keys(known);

/** Whether a value is a {@linkcode ToolEffect}. */
export function isToolEffect(value: unknown): value is ToolEffect {
  return typeof value === "string" && Object.hasOwn(known, value);
}
