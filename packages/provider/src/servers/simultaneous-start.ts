import type { Cancel, Clock } from "@hostside/core";
import type { Registration } from "./registration.ts";
import type { ServerSet } from "./server-set.ts";

/** The first appearance of several servers. */
export interface SimultaneousStart {
  /** The server has its tools, or is known not to get them now. */
  settled(registration: Registration): void;
}

// Long enough for servers that start at about the same speed, too short for a person to notice.
const longestHoldMs = 250;

/**
 * Makes servers that have not been shown yet appear together: when all of them have settled, or a
 * quarter of a second after the first, whichever comes first. So whoever watches the tools sees
 * them change once and not with every server, and a slow one holds up nobody. Those that are late
 * appear when they are ready. Names do not depend on it.
 */
export function createSimultaneousStart(
  registrations: readonly Registration[],
  serverSet: ServerSet,
  clock: Clock,
): SimultaneousStart {
  const held = new Set(registrations.filter(({ listed, held: already }) => listed === undefined && !already));
  const waiting = new Set(held);
  let cancel: Cancel | undefined;
  for (const registration of held) registration.held = true;

  const appear = (): void => {
    cancel?.();
    serverSet.show(held);
    held.clear();
  };
  return {
    settled(registration) {
      if (!waiting.delete(registration) || held.size === 0) return;
      if (waiting.size === 0) appear();
      else cancel ??= clock.schedule(longestHoldMs, appear);
    },
  };
}
