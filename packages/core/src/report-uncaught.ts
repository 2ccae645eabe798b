/**
 * Gives an error to the runtime's own handler of those that nobody caught: visible, but not in the
 * middle of whoever met it.
 */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
