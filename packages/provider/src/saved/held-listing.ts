import { clock } from "@hostside/core/implement";
import type { HeldListing } from "../link/link.ts";
import type { RecalledListing } from "./read-saved-catalog.ts";

// Whatever a server says: what is older is looked at again.
const longestTrustMs = 24 * 60 * 60 * 1000;

/**
 * A saved listing that still holds by the word of its server, which only servers of 2026-07-28
 * give; `undefined` for one that does not, or that is from the future, as after a clock that
 * jumped.
 */
export function heldListing(saved: RecalledListing | undefined): HeldListing | undefined {
  if (saved === undefined || saved.server.era !== "modern") return undefined;
  const { listing, server, listedAt } = saved;
  const ageMs = clock.date() - listedAt;
  const leftMs = Math.min(listing.ttlMs ?? 0, longestTrustMs) - ageMs;
  return ageMs >= 0 && leftMs > 0 ? { server, tools: listing.tools, leftMs } : undefined;
}

/** The same listing, good for no time: with other credentials it may be another one. */
export function withoutHold(saved: RecalledListing): RecalledListing {
  return { ...saved, listing: { ...saved.listing, ttlMs: 0 } };
}
