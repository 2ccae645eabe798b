import { authorizationChecks } from "./authorization-checks.ts";
import { callChecks } from "./call-checks.ts";
import type { ServerCheck } from "./define-check.ts";
import { definitionChecks } from "./definition-checks.ts";
import { httpChecks } from "./http-checks.ts";
import { completionChecks } from "./completion-checks.ts";
import { promptChecks, resourceChecks } from "./library-checks.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { listingChecks } from "./listing-checks.ts";
import { portabilityChecks } from "./portability-checks.ts";
import { requestChecks } from "./request-checks.ts";
import { sseChecks } from "./sse-checks.ts";
import { stdioChecks } from "./stdio-checks.ts";
import type { CheckInfo } from "../../engine/check.ts";
import { describe } from "../../engine/run-checks.ts";
import { untestableRequirements, type UntestableRequirement } from "./untestable-requirements.ts";

/** Every check of a server, in the order in which they are run and shown. */
export const serverChecks: readonly ServerCheck[] = [
  ...lifecycleChecks,
  ...requestChecks,
  ...stdioChecks,
  ...httpChecks,
  ...sseChecks,
  ...authorizationChecks,
  ...listingChecks,
  ...definitionChecks,
  ...callChecks,
  ...resourceChecks,
  ...promptChecks,
  ...completionChecks,
  ...portabilityChecks,
];

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
