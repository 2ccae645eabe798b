import { authorizationChecks } from "./authorization-checks.ts";
import { callChecks } from "./call-checks.ts";
import type { ServerCheck } from "./define-check.ts";
import { definitionChecks } from "./definition-checks.ts";
import { httpChecks } from "./http-checks.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { listingChecks } from "./listing-checks.ts";
import { portabilityChecks } from "./portability-checks.ts";
import { requestChecks } from "./request-checks.ts";
import { sseChecks } from "./sse-checks.ts";
import { stdioChecks } from "./stdio-checks.ts";

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
  ...portabilityChecks,
];
