/** Milliseconds since 1970 as text: ISO 8601, in UTC. */
export function isoDate(at: number): string {
  // Reads no clock: it only writes a number in another way.
  // oxlint-disable-next-line no-restricted-globals
  return new Date(at).toISOString();
}

/**
 * The same as spans take them: seconds and nanoseconds. A number alone may be taken for a time
 * since the process began.
 */
export function spanTime(at: number): [number, number] {
  const seconds = Math.floor(at / 1000);
  return [seconds, Math.round((at - seconds * 1000) * 1_000_000)];
}
