import type { ToolListing } from "@hostside/core";
import type { CallQueue } from "../calls/call-queue.ts";
import type { ToolServerListing } from "../catalog/catalog.ts";
import type { Link } from "../link/link.ts";
import type { RecalledListing } from "../saved/read-saved-catalog.ts";

/**
 * One server under its id, from registration to removal. What replaces it under the same id is
 * another registration.
 */
export interface Registration {
  readonly id: string;
  readonly number: number;
  /** Stands for the provider. */
  readonly provider: object;
  readonly link: Link;
  readonly queue: CallQueue;
  /**
   * Until when the calls of what had this id before may finish, as the provider's clock says, while
   * this one waits for the end of it; a time that has passed means that it is ending. `undefined`
   * when there is nothing to wait for.
   */
  readonly earlierUntil: () => number | undefined;
  /** The latest good listing, as it came. */
  listing?: ToolListing;
  /**
   * The same as the catalogue takes it; at first perhaps that of the registration which this one
   * replaces.
   */
  listed?: ToolServerListing;
  /** What it had before, by a saved catalogue, until this registration lists something. */
  saved?: RecalledListing | undefined;
  /** How often the server came back as another one. */
  replacements: number;
  /** Being added, or about to appear together with others: nothing of it is shown yet. */
  held: boolean;
  /**
   * Being added, and gone again if that fails. Nothing tries it again meanwhile but who adds it.
   */
  provisional: boolean;
  /** When the listing came in, in milliseconds since 1970. */
  listedAt?: number;
  /** Called when the registration ends; for who waits for something else. */
  onEnd?: (() => void) | undefined;
  /** How many operations are under way for which a user waits. */
  usersWaiting: number;
}

/** Does something; if a user waits for it, they may be shown an authorization page meanwhile. */
export async function whileUserWaits<T>(
  registration: Registration,
  isWaiting: boolean | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (isWaiting !== true) return work();
  registration.usersWaiting += 1;
  try {
    return await work();
  } finally {
    registration.usersWaiting -= 1;
  }
}
