/** What one text asks for, in bytes or in tokens. */
export interface SpaceClaim {
  readonly whole: number;
  /** What it costs besides, whether it is cut or not: its head, and marks around it. */
  readonly frame: number;
  /** What it costs besides when it is cut: the words that say so. */
  readonly marker: number;
  readonly cuttable: boolean;
  /** It gets its least share before those that come earlier. */
  readonly first: boolean;
}

/** What there is to share. */
export interface AvailableSpace {
  readonly budget: number;
  /** What of a text that is cut is shown at least. */
  readonly least: number;
  /** What the words cost that stand for all texts for which there is no room. */
  readonly rest: number;
}

/**
 * Shares room among texts. All are shown whole while they fit. Otherwise each in turn gets what it
 * needs, or at least the least share, until there is no room for the next; and what is left is
 * shared so that the longest are cut, all to the same length. Gives for each text how much of it
 * may be shown, which is its `whole` where it fits; `undefined` where there is no room for it.
 */
export function shareSpace(claims: readonly SpaceClaim[], space: AvailableSpace): readonly (number | undefined)[] {
  const all = claims.reduce((sum, { whole, frame }) => sum + whole + frame, 0);
  if (all <= space.budget) return claims.map(({ whole }) => whole);
  const isLong = ({ cuttable, whole, marker }: SpaceClaim): boolean => cuttable && whole > space.least + marker;
  const needOf = (claim: SpaceClaim): number =>
    claim.frame + (isLong(claim) ? space.least + claim.marker : claim.whole);
  let free = space.budget - space.rest;
  const taken = new Set<number>();
  claims.forEach((claim, index) => {
    if (!claim.first || needOf(claim) > free) return;
    free -= needOf(claim);
    taken.add(index);
  });
  for (const [index, claim] of claims.entries()) {
    if (claim.first) continue;
    if (needOf(claim) > free) break;
    free -= needOf(claim);
    taken.add(index);
  }
  const long = claims
    .map((claim, index) => ({ claim, index }))
    .filter(({ claim, index }) => taken.has(index) && isLong(claim));
  const shares = claims.map(({ whole }, index) => (taken.has(index) ? whole : undefined));
  long.sort((a, b) => a.claim.whole - b.claim.whole);
  long.forEach(({ claim, index }, place) => {
    const equal = Math.floor(free / (long.length - place));
    const missing = claim.whole - space.least - claim.marker;
    const more = Math.min(missing, equal);
    free -= more;
    shares[index] = more === missing ? claim.whole : space.least + more;
  });
  return shares;
}
