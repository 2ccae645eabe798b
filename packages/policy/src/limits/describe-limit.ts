import type { LimitRefusal, LimitRule } from "./limit-store.ts";

/** Why a limit refuses a call, after a name for the call. */
export function describeRefusal({ rule, part, used, limit, retryAfterMs, shared }: LimitRefusal): string {
  const newcomers = shared ? ", an allowance that all newcomers share because there are too many," : "";
  const again = retryAfterMs === undefined ? "" : `; again in ${retryAfterMs} ms`;
  return `is refused by limit ${JSON.stringify(rule.name)}: ${usageOf(rule, { part, used, limit })}${newcomers} are used${again}`;
}

function usageOf(
  { rate, budget }: LimitRule,
  { part, used, limit }: Pick<LimitRefusal, "part" | "used" | "limit">,
): string {
  const amount = `${used} of ${limit}`;
  switch (part) {
    case "rate":
      return `${amount} calls within a moment (at most ${rate?.calls} per ${rate?.perMs} ms)`;
    case "concurrency":
      return `${amount} places for calls under way`;
    case "calls":
    case "bytes":
      return `${amount} ${part}${windowOf(budget?.perMs)}`;
    case "timeMs":
      return `${amount} ms${windowOf(budget?.perMs)}`;
    case "cost":
      return `${Number.isFinite(used) ? amount : `more than can be known of ${limit}`} of cost${windowOf(budget?.perMs)}`;
  }
}

function windowOf(perMs: number | undefined): string {
  return perMs === undefined ? "" : ` per ${perMs} ms`;
}
