import type { Clock, Lock, Random, Store } from "@toolport/core";
import type { PolicyEvent } from "./policy-event.ts";

/** What the stages of one policy share. */
export interface PolicyParts {
  readonly clock: Clock;
  /** For jitter, never for secrets. */
  readonly random: Random;
  /** What is kept for longer than a call. */
  readonly store: Store;
  readonly lock: Lock;
  emit(event: PolicyEvent): void;
}
