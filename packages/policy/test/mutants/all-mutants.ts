import { guardMutants } from "./guard.ts";
import type { PolicyMutant } from "./policy-mutant.ts";

/** Every mistake that the tests of the policy have to find. */
export const allMutants: readonly PolicyMutant[] = [...guardMutants];
