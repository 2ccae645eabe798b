import type { ToolEffect } from "@toolport/core";
import { worseEffect } from "../effects/worse-effect.ts";

/** Whether an effect does more harm than another one. */
export function isWorseEffect(effect: ToolEffect, than: ToolEffect): boolean {
  return worseEffect(effect, than) !== than;
}
