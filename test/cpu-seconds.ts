/**
 * How many seconds of processor time something takes: what else the machine is at does not count.
 * For bounds fifty times as long as the work, which only what grows with the square passes; a
 * tighter one fails on a machine that is slower than the one it was written on.
 */
export async function cpuSecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
