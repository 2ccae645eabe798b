/** A duration for people: `3 s`, `0.25 s`, `0.004 s`. */
export function inSeconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(2))} s`;
}
