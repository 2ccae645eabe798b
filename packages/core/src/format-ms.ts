/** A duration as texts show it: whole milliseconds, and at least one of them. */
export function formatMs(ms: number): string {
  return `${Math.max(1, Math.round(ms))} ms`;
}
