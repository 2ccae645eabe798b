import type { Capacity } from "./capacity.ts";
import type { Owner } from "./entry.ts";

/** What somebody wants to have, all of it at once. */
export interface LeaseRequest {
  readonly owners: readonly Owner[];
  /** Whose request it is: turns go by it, and what it takes counts for it. */
  readonly principal: string | undefined;
  /** For messages: `key "a"`. */
  readonly title: string;
}

/** What one owner needs. */
export interface CapacityNeed {
  readonly id: string;
  readonly amounts: Capacity;
}
