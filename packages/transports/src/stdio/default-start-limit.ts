/**
 * How many servers may start at once unless somebody says otherwise: four for each processor, since
 * most of a start is waiting, for files, for downloads or for what the server itself waits for, but
 * no fewer than eight.
 */
export function defaultStartLimit(): number {
  return Math.max(8, 4 * process.getBuiltinModule("node:os").availableParallelism());
}
