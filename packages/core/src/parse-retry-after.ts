// Longer waits are the host's own decision, not a server's.
const longestWaitMs = 3_600_000;

/**
 * `Retry-After` in milliseconds from `now` (epoch milliseconds), at most an hour: it is a number of
 * seconds or a date (RFC 9110, 10.2.3). `undefined` for anything else.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1000, longestWaitMs);
  // Dates start with the name of a day; `Date.parse` alone would take "-5" for one.
  if (!/^[A-Z]/i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), longestWaitMs);
}
