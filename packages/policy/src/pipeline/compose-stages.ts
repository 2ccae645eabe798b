import type { CallHandler, Interceptor } from "@hostside/core";

/** One interceptor that does what these do one within the other, the first one outermost. */
export function composeStages(stages: readonly Interceptor[]): Interceptor {
  return (call, next) => {
    const enter = (at: number): CallHandler => {
      const stage = stages[at];
      return stage === undefined ? next : (handed) => stage(handed, enter(at + 1));
    };
    return enter(0)(call);
  };
}
