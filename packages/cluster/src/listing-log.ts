import type { SavedListing } from "@hostside/provider";

/** Remembers what is in a store, so that nothing is written twice. */
export interface ListingLog {
  /**
   * Whether a listing says something else than what is there, or is enough newer to be worth a
   * write.
   */
  isNews(listing: SavedListing): boolean;
  /** It is there now, or about to be. */
  note(listing: SavedListing): void;
  /** It is not there after all. */
  forget(listing: SavedListing): void;
}

const mostEntries = 10_000;
const hour = 60 * 60 * 1000;

/**
 * Makes an empty log. It holds a mark of each listing, and forgets the oldest of more than 10,000.
 */
export function createListingLog(): ListingLog {
  const entries = new Map<string, { readonly mark: string; readonly listedAt: number }>();
  return {
    isNews(listing) {
      const entry = entries.get(listing.reachedBy);
      if (entry === undefined || entry.mark !== markOf(listing)) return true;
      const { ttlMs, listedAt } = listing;
      return listedAt - entry.listedAt >= (ttlMs > 0 ? Math.min(ttlMs / 4, hour) : hour);
    },
    forget: ({ reachedBy }) => void entries.delete(reachedBy),
    note(listing) {
      const { reachedBy, listedAt } = listing;
      entries.delete(reachedBy);
      entries.set(reachedBy, { mark: markOf(listing), listedAt });
      const [oldest] = entries.keys();
      if (entries.size > mostEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

// Two hashes after the pattern of FNV-1a: for telling what changed, and for nothing that somebody
// could gain by a collision.
function markOf({ listedAt: _listedAt, ...listing }: SavedListing): string {
  const text = JSON.stringify(listing);
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return `${text.length}.${a}.${b}`;
}
