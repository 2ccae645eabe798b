import type { Clock, ServerSpec } from "@toolport/core";
import { assertKnownOptions, systemClock, type Fields } from "@toolport/core/implement";
import type { McpProvider } from "@toolport/provider";

/** What a provider is made for. */
export interface ProviderWish {
  readonly key: string;
  /** The servers that it is to have. */
  readonly servers: readonly ServerSpec[];
  /** Aborts when nobody wants it any more. What is made all the same is closed. */
  readonly signal: AbortSignal;
}

/** What a pool is made from. */
export interface ProviderPoolOptions {
  /** Makes a provider of its own for each key, and waits for its servers if it likes. Where it fails, those who wait get its error; the next one who asks tries again. */
  readonly make: (wish: ProviderWish) => McpProvider | Promise<McpProvider>;
  /** The servers of every provider, until `updateConfig()`. Default none. */
  readonly servers?: readonly ServerSpec[] | undefined;
  /** How long a provider that nobody uses is kept, in milliseconds. Default 1,800,000: half an hour, about as long as a person may be away from a conversation. */
  readonly ttlMs?: number | undefined;
  /** How often such are looked for, in milliseconds; at least 50. Default 60,000. */
  readonly sweepMs?: number | undefined;
  /** Most providers at a time, those that are ending included. One more, and the one ends that was not used for the longest time and is not in use. Default 1,000. */
  readonly maxProviders?: number | undefined;
  /** How long a wish waits while all of them are in use, in milliseconds, before it is refused with `overloaded`. Default 0: at once. */
  readonly waitMs?: number | undefined;
  /** How long `make` may take, in milliseconds. Default 60,000. */
  readonly makeMs?: number | undefined;
  /** How long calls that are with a server may take when their provider is disposed of or their server is changed, in milliseconds. Default 5,000. */
  readonly drainMs?: number | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}

/** The same with defaults. */
export type PoolSettings = { readonly [Name in keyof ProviderPoolOptions]-?: NonNullable<ProviderPoolOptions[Name]> };

const fields: Fields<ProviderPoolOptions> = {
  make: true,
  servers: true,
  ttlMs: true,
  sweepMs: true,
  maxProviders: true,
  waitMs: true,
  makeMs: true,
  drainMs: true,
  clock: true,
};

/** Fills in the defaults. Throws a `TypeError` that names the option that is unknown, of a wrong type or out of range. */
export function readPoolOptions(options: ProviderPoolOptions): PoolSettings {
  assertKnownOptions("createProviderPool()", options, fields);
  const { make, servers = [], clock = systemClock } = options;
  if (typeof make !== "function") throw new TypeError("make must be a function");
  if (typeof clock?.now !== "function" || typeof clock.schedule !== "function")
    throw new TypeError("clock must have now() and schedule()");
  return {
    make,
    servers,
    clock,
    ttlMs: readNumber(options, "ttlMs", { otherwise: 1_800_000, least: 0 }),
    sweepMs: readNumber(options, "sweepMs", { otherwise: 60_000, least: 50 }),
    maxProviders: readWhole(options, "maxProviders", { otherwise: 1000, least: 1 }),
    waitMs: readNumber(options, "waitMs", { otherwise: 0, least: 0 }),
    makeMs: readNumber(options, "makeMs", { otherwise: 60_000, least: 1 }),
    drainMs: readNumber(options, "drainMs", { otherwise: 5000, least: 0, most: 86_400_000 }),
  };
}

function readWhole(options: ProviderPoolOptions, name: NumberName, range: NumberRange): number {
  const value = readNumber(options, name, range);
  if (Math.floor(value) === value) return value;
  throw new TypeError(`${name} must be a whole number of ${range.least} or more`);
}

type NumberName = "ttlMs" | "sweepMs" | "maxProviders" | "waitMs" | "makeMs" | "drainMs";

interface NumberRange {
  readonly otherwise: number;
  readonly least: number;
  readonly most?: number;
}

function readNumber(
  options: ProviderPoolOptions,
  name: NumberName,
  { otherwise, least, most = Number.POSITIVE_INFINITY }: NumberRange,
): number {
  const value = options[name] ?? otherwise;
  if (typeof value === "number" && value >= least && value <= most) return value;
  const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new TypeError(`${name} must be a number ${range}`);
}
