/**
 * Whether ten times as much takes about ten times as long: what grows with the square takes a hundred times. Other work on the machine only
 * adds time, so one quiet look of twenty is enough.
 */
export function isLinear(work: (size: number) => void, size: number): boolean {
  const timed = (times: number): number => {
    const begin = performance.now();
    work(times);
    return performance.now() - begin;
  };
  work(size);
  return Array.from({ length: 20 }).some(() => timed(size * 10) < 20 * Math.max(timed(size), 0.2));
}
