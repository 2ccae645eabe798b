import type { Interceptor } from "@hostside/core";

/** Folds stages into one interceptor, once. The first one is the outermost. */
export function composeStages(stages: readonly (Interceptor | undefined)[]): Interceptor {
  const present = stages.filter((stage) => stage !== undefined);
  if (present.length === 0) return (call, next) => next(call);
  return present.reduceRight((inner, stage) => (call, next) => stage(call, (handed) => inner(handed, next)));
}
