/** The version that an adapter is written for. */
export interface NeededPeer {
  /** The function that is called. */
  readonly where: string;
  /** Name and first version that the adapter was tried with, such as `ai@7`. */
  readonly peer: string;
  /**
   * An export of that version that an earlier generation does not have; some between the two may
   * have it as well.
   */
  readonly has: unknown;
}

/**
 * Throws a `TypeError` that says what to install when a framework is older than what an adapter is
 * written for. Any version may be installed beside the package, because npm would refuse to install
 * it otherwise; an older one would run tools and ask nobody, or show their results to nobody.
 */
export function assertPeer({ where, peer, has }: NeededPeer): void {
  if (has !== undefined) return;
  throw new TypeError(`${where} is written for ${peer} and later, and what is installed is older: npm install ${peer}`);
}
