import type { Amounts } from "./amounts.ts";
import type { Owner } from "./entry.ts";

/** What somebody wants to have, all of it at once. */
export interface Wish {
  readonly owners: readonly Owner[];
  /** Whose wish it is: turns go by it, and what it takes counts for it. */
  readonly principal: string | undefined;
  /** For messages: `key "a"`. */
  readonly title: string;
}

/** What one owner needs. */
export interface Need {
  readonly id: string;
  readonly amounts: Amounts;
}
