/**
 * How many letters must be added, dropped, replaced or swapped with a neighbour to turn one word
 * into the other, or `maxDistance + 1` when it is more than `maxDistance`.
 */
export function editDistance(a: string, b: string, maxDistance: number): number {
  if (Math.abs(a.length - b.length) > maxDistance) return maxDistance + 1;
  let twoBack: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(twoBack, j - 2) + 1);
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > maxDistance) return maxDistance + 1;
    twoBack = previous;
    previous = row;
  }
  return Math.min(at(previous, b.length), maxDistance + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
