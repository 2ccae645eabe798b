import type { CheckInfo } from "../../engine/check.ts";
import { describe } from "../../engine/run-checks.ts";
import { serverChecks } from "./server-checks.ts";
import { untestableRequirements, type UntestableRequirement } from "./untestable-requirements.ts";

/** Every check as data: what `checks.json` of this package holds. */
export interface CheckRegistry {
  readonly $schema: string;
  readonly registryVersion: 1;
  readonly server: readonly (CheckInfo & {
    readonly over?: "stdio" | "http" | "sse";
    readonly needs: readonly string[];
  })[];
  readonly untestable: readonly UntestableRequirement[];
}

/** The registry of this version of the kit. */
export function checkRegistry(): CheckRegistry {
  return {
    $schema: "./checks.schema.json",
    registryVersion: 1,
    server: serverChecks.map((check) => ({
      ...describe(check),
      ...(check.over && { over: check.over }),
      needs: check.needs ?? [],
    })),
    untestable: untestableRequirements,
  };
}
