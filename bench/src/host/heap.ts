/**
 * Megabytes of live heap, after two collections: the first finds what was held by what had to be
 * finalised. Needs `node --expose-gc`.
 */
export function heapMb(): number {
  if (globalThis.gc === undefined) throw new TypeError("run with node --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1e6;
}
