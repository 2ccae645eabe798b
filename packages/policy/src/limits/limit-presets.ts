import type { ToolSelection } from "../rules/select-tools.ts";
import type { Limit } from "./limit-options.ts";

/**
 * A moderate pace: each tool 10 calls a second and one at a time, for which a call waits up to 10
 * s; 100 calls of one conversation in all.
 */
export function moderateLimits(tools?: ToolSelection): readonly Limit[] {
  return [
    {
      name: "moderate pace",
      tools,
      per: "tool",
      rate: { calls: 10, perMs: 1000 },
      concurrency: 1,
      onFull: { waitMs: 10_000 },
    },
    { name: "moderate budget", tools, per: "conversation", budget: { calls: 100 } },
  ];
}

/**
 * Stricter limits, beside any others: for each tool one call a second and one at a time, 10 s each;
 * for one conversation 20 calls in all. Default: for new tools (`{ new: true }`), which needs
 * `pins`.
 */
export function newToolLimits(tools: ToolSelection = { new: true }): readonly Limit[] {
  return [
    {
      name: "pace of new tools",
      tools,
      per: "tool",
      rate: { calls: 1, perMs: 1000, burst: 2 },
      concurrency: 1,
      timeoutMs: 10_000,
    },
    { name: "budget of new tools", tools, per: "conversation", budget: { calls: 20 } },
  ];
}
