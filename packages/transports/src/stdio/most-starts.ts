import { nodeModule } from "./node-module.ts";

/**
 * How many servers may start at once unless somebody says otherwise: two for each processor, since half of a start is waiting for files, but
 * no fewer than four. One in a runtime that does not tell.
 */
export function mostStarts(): number {
  const os = nodeModule("node:os");
  return os === undefined ? 1 : Math.max(4, 2 * os.availableParallelism());
}
