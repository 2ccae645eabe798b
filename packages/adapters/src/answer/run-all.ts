/**
 * Runs all at once and waits for the last one, also when one fails; the results are in the order of
 * the items, the first failure is thrown.
 */
export async function runAll<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const settled = await Promise.allSettled(items.map(run));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
