import type { JsonObject } from "@hostside/core";

/**
 * What becomes of a call that its server makes a task of (the extension
 * `io.modelcontextprotocol/tasks` of 2026-07-28): `"await"` the call goes on until the task has
 * ended, within its time; `"hand-back"` it resolves with what the server said, of the `resultType`
 * `"task"`, and the host goes on with `tasks/get` and its like. `"await"` is also for tools of
 * 2025-11-25 that are tasks alone.
 */
export type TaskHandling = "await" | "hand-back";

/** Who the host says it is, and what it offers to servers. */
export interface ClientIdentity {
  readonly info: { readonly name: string; readonly version: string };
  /** Elicitation or nothing; never roots, sampling or logging (SEP-2577). */
  readonly capabilities: JsonObject;
  /** Extensions of 2026-07-28, by their names; earlier revisions are told of none. */
  readonly extensions?: JsonObject | undefined;
}
