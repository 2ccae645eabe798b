/** Megabytes of live heap, after a collection. Needs `node --expose-gc`. */
export function heapMb(): number {
  if (globalThis.gc === undefined) throw new TypeError("run with node --expose-gc");
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}
