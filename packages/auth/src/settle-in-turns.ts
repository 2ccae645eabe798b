// A process may have only so many files and connections open.
const mostAtATime = 16;

/**
 * Does the same for all values, 16 at a time. When one fails, the others that have begun are waited
 * for, no more begin, and the failure of the first in order is thrown: nothing is under way
 * afterwards.
 */
export async function settleInTurns<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < values.length; from += mostAtATime) {
    const some = await Promise.allSettled(values.slice(from, from + mostAtATime).map(work));
    for (const one of some) {
      if (one.status === "rejected") throw one.reason;
      results.push(one.value);
    }
  }
  return results;
}
