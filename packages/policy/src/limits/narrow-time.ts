import type { Clock, SharedDeadline } from "@hostside/core";
import { createDeadline, type Deadline } from "@hostside/core/implement";

/** A part of the time of a call. */
export interface NarrowTime extends Deadline {
  /** The time that it is a part of, which the call is known by. */
  readonly whole: SharedDeadline;
}

/** Leaves a call no more than `timeoutMs` of its time. Who calls it disposes of it. */
export function narrowTime(
  given: SharedDeadline | undefined,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): NarrowTime {
  const time = createDeadline({ timeoutMs, outer: given, clock, onTimeout: () => undefined });
  return Object.assign(time, { whole: given === undefined ? time : wholeTime(given) });
}

/** The same for all stages of one call, whichever of them left those behind it less time. */
export function wholeTime(time: SharedDeadline | NarrowTime): SharedDeadline {
  return "whole" in time ? time.whole : time;
}
