import type { CallContext } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";

/** How the calls of one response are answered. */
export interface AnswerOptions {
  /** Aborts the calls that are under way; their servers are told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf; goes before the adapter's own, member by member. For the host alone. */
  readonly context?: CallContext | undefined;
  /**
   * Ids of the calls that a person approved, of those that `toApprove()` gave. The others of those
   * are refused. Default: nobody was asked, and the policy refuses calls that need an approval.
   */
  readonly approved?: readonly string[] | undefined;
}

const fields: Fields<AnswerOptions> = { signal: true, context: true, approved: true };

/**
 * Refuses an option that nothing reads. Throws a `TypeError` that names it; the values are checked
 * with the call.
 */
export function assertAnswerOptions(owner: string, options: AnswerOptions): void {
  assertKnownOptions(owner, options, fields);
  const approved: unknown = options.approved;
  if (approved === undefined) return;
  if (Array.isArray(approved) && approved.every((id) => typeof id === "string")) return;
  throw new TypeError(`approved of ${owner} must be a list of the ids of calls`);
}
