/**
 * How many servers may start at once unless somebody says otherwise: two for each processor, since half of a start is waiting for files, but
 * no fewer than four.
 */
export function mostStarts(): number {
  return Math.max(4, 2 * process.getBuiltinModule("node:os").availableParallelism());
}
