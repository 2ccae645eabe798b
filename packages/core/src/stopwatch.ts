import { dateOf, type Clock } from "./clock.ts";

/**
 * Says how many milliseconds have gone by since. Those of a machine that slept count: its clock may
 * stand still meanwhile, its date does not.
 */
export function startStopwatch(clock: Clock): () => number {
  const [startedAt, date] = [clock.now(), dateOf(clock)];
  return () => Math.max(clock.now() - startedAt, dateOf(clock) - date);
}
