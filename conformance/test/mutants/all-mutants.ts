import { authorizationMutants } from "./authorization-mutants.ts";
import { callMutants } from "./call-mutants.ts";
import { httpMutants } from "./http-mutants.ts";
import { libraryMutants } from "./library-mutants.ts";
import { lifecycleMutants } from "./lifecycle-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { portabilityMutants } from "./portability-mutants.ts";
import { requestMutants } from "./request-mutants.ts";
import { sseMutants } from "./sse-mutants.ts";
import { stdioMutants } from "./stdio-mutants.ts";
import { toolMutants } from "./tool-mutants.ts";

/** Every deliberately broken server, area by area. */
export const mutants: readonly Mutant[] = [
  ...lifecycleMutants,
  ...requestMutants,
  ...stdioMutants,
  ...httpMutants,
  ...sseMutants,
  ...authorizationMutants,
  ...toolMutants,
  ...callMutants,
  ...libraryMutants,
  ...portabilityMutants,
];
