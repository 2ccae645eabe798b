import type { CallContext } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";

/** How the calls of one response are answered. */
export interface AnswerOptions {
  /** Aborts the calls that are under way; their servers are told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf; goes before the adapter's own, member by member. For the host alone. */
  readonly context?: CallContext | undefined;
}

const fields: Fields<AnswerOptions> = { signal: true, context: true };

/** Refuses an option that nothing reads. Throws a `TypeError` that names it; the values are checked with the call. */
export function assertAnswerOptions(owner: string, options: AnswerOptions): void {
  assertKnownOptions(owner, options, fields);
}
