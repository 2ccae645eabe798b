import type { Clock, Diagnostic } from "@hostside/core";

/** How many tokens may still be sent. */
export interface HourlyBudget {
  /** Takes so many tokens if they are there. */
  take(tokens: number): boolean;
  /** How long until there are that many, in milliseconds; 0: now. */
  waitMs(tokens: number): number;
  /** Used in the current hour. */
  readonly used: number;
}

const hourMs = 3_600_000;

/**
 * Counts tokens by the hour that begins with the first of them. What costs more than an hour has is
 * let through in an hour of its own.
 */
export function createHourlyBudget(
  limit: number,
  { clock, onDiagnostic }: { readonly clock: Clock; readonly onDiagnostic: (diagnostic: Diagnostic) => void },
): HourlyBudget {
  let used = 0;
  let startedAt = Number.NEGATIVE_INFINITY;
  let wasSaid = false;
  const turn = (): void => {
    if (used === 0 || clock.now() - startedAt < hourMs) return;
    used = 0;
    wasSaid = false;
  };
  const has = (tokens: number): boolean => used === 0 || used + tokens <= limit;
  return {
    get used() {
      turn();
      return used;
    },
    take(tokens) {
      turn();
      if (!has(tokens)) {
        if (!wasSaid) onDiagnostic({ kind: "embedding-limit", serverId: "", message: saying(limit) });
        wasSaid = true;
        return false;
      }
      if (used === 0) startedAt = clock.now();
      used += tokens;
      return true;
    },
    waitMs(tokens) {
      turn();
      return has(tokens) ? 0 : startedAt + hourMs - clock.now();
    },
  };
}

function saying(limit: number): string {
  return `the ${limit} tokens that may be embedded in an hour are used; words alone decide what is not embedded yet`;
}
