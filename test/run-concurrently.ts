/**
 * Starts work on all items, in so many lanes: in each of them one after the other, in order. A test
 * awaits what it is about, while what others are about is under way. What fails ends no lane.
 */
export function runConcurrently<Item, Result>(
  items: readonly Item[],
  lanes: number,
  run: (item: Item, lane: number) => Promise<Result>,
): ReadonlyMap<Item, Promise<Result>> {
  if (lanes < 1) throw new RangeError(`nothing runs in ${lanes} lanes`);
  const results = new Map<Item, Promise<Result>>();
  const ends = Array.from({ length: lanes }, (): Promise<unknown> => Promise.resolve());
  for (const [place, item] of items.entries()) {
    const lane = place % lanes;
    const result = (ends[lane] ?? Promise.resolve()).then(() => run(item, lane));
    ends[lane] = result.catch(() => undefined);
    results.set(item, result);
  }
  return results;
}
