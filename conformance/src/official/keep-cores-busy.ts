import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/**
 * Runs one endless loop for each core until it is told to stop, so that whatever runs beside it is
 * slow as on a machine that many share. The loops are threads of this process: they cannot outlive
 * it.
 */
export function keepCoresBusy(): () => Promise<unknown> {
  const loops = Array.from({ length: availableParallelism() }, () => new Worker("for (;;);", { eval: true }));
  return () => Promise.all(loops.map((loop) => loop.terminate()));
}
