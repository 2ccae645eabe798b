import { assertKnownOptions, readWholeNumber, type Fields } from "@hostside/core/implement";
import { readPositiveNumber } from "../read-options.ts";
import { readSelection, type ToolMatcher, type ToolSelection } from "../rules/select-tools.ts";
import type { LimitRule } from "./limit-store.ts";

/**
 * Calls with the same server, tool, principal, conversation or role share an allowance. Calls
 * without a principal, conversation or role share one, too.
 */
export type LimitScope = "server" | "tool" | "principal" | "conversation" | "role";

/**
 * So many calls every `perMs` milliseconds, evenly, and at most `burst` at once. A call counts when
 * it is let through, once, whether it then leaves the host or not, and however often it is tried.
 */
export interface LimitRate {
  readonly calls: number;
  readonly perMs: number;
  /** Default: `calls`. */
  readonly burst?: number | undefined;
}

/** How many calls: in all, or within each `perMs` milliseconds from the first one on. */
export interface LimitBudget {
  readonly calls: number;
  readonly perMs?: number | undefined;
}

/**
 * A limit on calls. All limits that hold for a call hold together, and a call that one of them
 * refuses takes nothing of the others: to add a limit never lets more through. A call that did not
 * leave the host costs no budget.
 */
export interface Limit {
  /**
   * For errors and events, and to count by: no other limit has it. Default `limits[0]`, its place.
   */
  readonly name?: string | undefined;
  /** Default: all tools. */
  readonly tools?: ToolSelection | undefined;
  /** Default: one allowance for all calls. */
  readonly per?: LimitScope | readonly LimitScope[] | undefined;
  readonly rate?: LimitRate | undefined;
  /** How many calls may be under way together. */
  readonly concurrency?: number | undefined;
  readonly budget?: LimitBudget | undefined;
  /**
   * How long a call may take from the moment that it is let through, with all its tries. Never more
   * than the caller gave it.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The treatment of a call for which there is no room by rate or concurrency. Default `"refuse"`.
   * To wait uses the call's own time. Beyond a budget every call is refused.
   */
  readonly onFull?: "refuse" | { readonly waitMs: number } | undefined;
}

/** A limit that was read. */
export interface ReadLimit {
  readonly rule: LimitRule;
  readonly tools: ToolMatcher | undefined;
  readonly scopes: readonly LimitScope[];
  readonly timeoutMs: number | undefined;
}

const limitFields: Fields<Limit> = {
  name: true,
  tools: true,
  per: true,
  rate: true,
  concurrency: true,
  budget: true,
  timeoutMs: true,
  onFull: true,
};
const rateFields: Fields<LimitRate> = { calls: true, perMs: true, burst: true };
const budgetFields: Fields<LimitBudget> = { calls: true, perMs: true };
const scopes: readonly unknown[] = ["server", "tool", "principal", "conversation", "role"] satisfies LimitScope[];

/**
 * Reads limits. Throws a `TypeError` that names the first member that makes no sense, such as
 * `limits[1].rate.calls`.
 */
export function readLimits(limits: readonly Limit[], place: string = "limits"): readonly ReadLimit[] {
  if (!Array.isArray(limits)) throw new TypeError(`${place} must be a list`);
  const names = new Set<string>();
  return limits.map((limit: Limit, index) => {
    const read = readLimit(limit, `${place}[${index}]`);
    const { name } = read.rule;
    if (names.has(name)) throw new TypeError(`${place}[${index}].name: there is another limit ${JSON.stringify(name)}`);
    names.add(name);
    return read;
  });
}

function readLimit(limit: Limit, place: string): ReadLimit {
  assertKnownOptions(place, limit, limitFields);
  const { name = place, tools, per = [], rate, concurrency, budget, timeoutMs, onFull = "refuse" } = limit;
  if (typeof name !== "string" || name === "") throw new TypeError(`${place}.name must be a text that is not empty`);
  if ([rate, concurrency, budget, timeoutMs].every((part) => part === undefined)) {
    throw new TypeError(`${place} limits nothing: it has no rate, concurrency, budget or timeoutMs`);
  }
  readWholeNumber(concurrency, `${place}.concurrency`, { least: 1, otherwise: 1 });
  if (timeoutMs !== undefined) readPositiveNumber(timeoutMs, `${place}.timeoutMs`);
  return {
    rule: {
      name,
      rate: rate && readRate(rate, `${place}.rate`),
      concurrency,
      budget: budget && readBudget(budget, `${place}.budget`),
      waitMs: readWait(onFull, `${place}.onFull`),
    },
    tools: tools === undefined ? undefined : readSelection(tools, `${place}.tools`),
    scopes: readScopes(per, `${place}.per`),
    timeoutMs,
  };
}

function readRate(rate: LimitRate, place: string): NonNullable<LimitRule["rate"]> {
  assertKnownOptions(place, rate, rateFields);
  const { calls, perMs, burst = Math.max(1, calls) } = rate;
  readPositiveNumber(calls, `${place}.calls`);
  readPositiveNumber(perMs, `${place}.perMs`);
  readWholeNumber(burst, `${place}.burst`, { least: 1, otherwise: 1 });
  return { calls, perMs, burst };
}

function readBudget(budget: LimitBudget, place: string): NonNullable<LimitRule["budget"]> {
  assertKnownOptions(place, budget, budgetFields);
  const { calls, perMs } = budget;
  readPositiveNumber(calls, `${place}.calls`);
  if (perMs !== undefined) readPositiveNumber(perMs, `${place}.perMs`);
  return { calls, perMs };
}

function readWait(onFull: NonNullable<Limit["onFull"]>, place: string): number {
  if (onFull === "refuse") return 0;
  assertKnownOptions(`${place} (unless it is "refuse")`, onFull, { waitMs: true });
  return readPositiveNumber(onFull.waitMs, `${place}.waitMs`);
}

function readScopes(per: LimitScope | readonly LimitScope[], place: string): readonly LimitScope[] {
  const list: readonly LimitScope[] = typeof per === "string" ? [per] : per;
  if (!Array.isArray(list)) throw new TypeError(`${place} must be a scope or a list of them`);
  for (const scope of list) {
    if (scopes.includes(scope)) continue;
    throw new TypeError(`${place}: ${JSON.stringify(scope)} is none of ${scopes.join(", ")}`);
  }
  return list;
}

/**
 * A moderate pace: each tool 10 calls a second and one at a time, for which a call waits up to 10
 * s; 100 calls of one conversation in all.
 *
 * @example
 * const policy = createPolicy({ limits: moderateLimits() });
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
 *
 * @example
 * const policy = createPolicy({ pins: { unpinned: "allow" }, limits: newToolLimits() });
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
