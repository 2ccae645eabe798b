import { admissionMutants } from "./admission.ts";
import { approvalMutants } from "./approval.ts";
import { cacheMutants } from "./cache.ts";
import { guardMutants } from "./guard.ts";
import { limitMutants } from "./limits.ts";
import { pipelineMutants } from "./pipeline.ts";
import type { PolicyMutant } from "./policy-mutant.ts";
import { redactionMutants } from "./redaction.ts";
import { replicaMutants } from "./replicas.ts";
import { validationMutants } from "./validation.ts";

/** Every mistake that the tests of the policy have to find. */
export const allMutants: readonly PolicyMutant[] = [
  ...admissionMutants,
  ...approvalMutants,
  ...cacheMutants,
  ...guardMutants,
  ...limitMutants,
  ...pipelineMutants,
  ...redactionMutants,
  ...replicaMutants,
  ...validationMutants,
];
