import type { ToolEffect } from "@toolport/core";

const harm: Readonly<Record<ToolEffect, number>> = {
  pure: 0,
  "idempotent-write": 1,
  "non-idempotent-write": 2,
  external: 3,
};

/** Whether an effect does more harm than another one. */
export function isWorseEffect(effect: ToolEffect, than: ToolEffect): boolean {
  return harm[effect] > harm[than];
}
