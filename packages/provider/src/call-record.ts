import type { CallContext, ToolOrigin, ToolportError } from "@toolport/core";

/**
 * What became of one call at its server: one record for each time that a call came to the queue of its server. So a call that an
 * interceptor refused or answered itself has none, nor has one for which there was no room or whose tool was gone; and one that an interceptor
 * tried twice has two: `context.correlationId` shows which belong together. Holds neither arguments nor results.
 */
export interface CallRecord {
  readonly origin: ToolOrigin;
  /** As the caller gave it. */
  readonly context?: CallContext;
  /** When it came to the queue: milliseconds since 1970, for `new Date()`. */
  readonly startedAt: number;
  /** From then to its end, in milliseconds. */
  readonly durationMs: number;
  /** How much of that it waited for the session, for a listing and for its turn. */
  readonly queueMs: number;
  /** How often it was handed to a connection: 0 when it never was, 2 when it was sent once more after a proof that it had not run. */
  readonly sends: number;
  /** `ok`; `tool-error` when the tool itself said that it failed; `error` when the call was rejected. */
  readonly result: "ok" | "tool-error" | "error";
  /** What it was rejected with. */
  readonly error?: ToolportError;
}
