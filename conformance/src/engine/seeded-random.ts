/**
 * A small generator of numbers in `[0, 1)` (mulberry32). The same seed and name give the same
 * numbers, and each name its own, so that leaving one check out does not change what the others do.
 */
export function seededRandom(seed: number, name: string): () => number {
  let state = seed >>> 0;
  for (const unit of name) state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
