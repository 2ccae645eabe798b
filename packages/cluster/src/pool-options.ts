import type { Clock, ServerSpec } from "@hostside/core";
import { assertKnownOptions, systemClock, type Fields } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import type { Capacity } from "./capacity.ts";
import type { PoolLimits } from "./pool-limits.ts";
import type { SharedProvidersOptions } from "./shared-providers.ts";

/** What a provider is made for. */
export interface ProviderRequest {
  readonly key: string;
  /** The servers that it is to have. */
  readonly servers: readonly ServerSpec[];
  /** Aborts when nobody wants it any more. What is made all the same is closed. */
  readonly signal: AbortSignal;
}

/** What a pool is made from. */
export interface ProviderPoolOptions extends PoolLimits {
  /**
   * Makes a provider of its own for each key, and waits for its servers if it likes. Where it
   * fails, those who wait get its error; the next one who asks tries again.
   */
  readonly make: (request: ProviderRequest) => McpProvider | Promise<McpProvider>;
  /** The servers of every provider, until `updateConfig()`. Default none. */
  readonly servers?: readonly ServerSpec[] | undefined;
}

/** The same with defaults. */
export interface CoreSettings {
  readonly ttlMs: number;
  readonly sweepMs: number;
  readonly waitMs: number;
  readonly makeMs: number;
  readonly drainMs: number;
  readonly clock: Clock;
  readonly limits: Capacity;
}

const limitFields: Fields<PoolLimits> = {
  ttlMs: true,
  sweepMs: true,
  maxProviders: true,
  maxConnections: true,
  maxProcesses: true,
  waitMs: true,
  makeMs: true,
  drainMs: true,
  clock: true,
};
const poolFields: Fields<ProviderPoolOptions> = { make: true, servers: true, ...limitFields };
const sharedFields: Fields<SharedProvidersOptions> = { ...poolFields, maxPerPrincipal: true };

/**
 * Fills in the defaults. Throws a `TypeError` that names the option that is unknown, of a wrong
 * type or out of range.
 */
export function readPoolOptions(options: ProviderPoolOptions): CoreSettings {
  assertKnownOptions("createProviderPool()", options, poolFields);
  assertMake(options);
  return readLimits(options);
}

/** {@linkcode readPoolOptions}, for those of {@linkcode createSharedProviders}. */
export function readSharedOptions(options: SharedProvidersOptions): CoreSettings {
  assertKnownOptions("createSharedProviders()", options, sharedFields);
  assertMake(options);
  // Of a thousand users nobody expects thousands of processes: those that are idle go first.
  const { maxConnections = 4000, maxProcesses = 250 } = options;
  return readLimits({ ...options, maxConnections, maxProcesses });
}

function assertMake({ make }: { readonly make: unknown }): void {
  if (typeof make !== "function") throw new TypeError("make must be a function");
}

function readLimits(options: NumberOptions & Pick<PoolLimits, "clock">): CoreSettings {
  const { clock = systemClock } = options;
  if (typeof clock?.now !== "function" || typeof clock.schedule !== "function")
    throw new TypeError("clock must have now() and schedule()");
  return {
    clock,
    ttlMs: readNumber(options, "ttlMs", { otherwise: 1_800_000, least: 0 }),
    sweepMs: readNumber(options, "sweepMs", { otherwise: 60_000, least: 50 }),
    waitMs: readNumber(options, "waitMs", { otherwise: 0, least: 0 }),
    makeMs: readNumber(options, "makeMs", { otherwise: 60_000, least: 1 }),
    drainMs: readNumber(options, "drainMs", { otherwise: 5000, least: 0, most: 86_400_000 }),
    limits: {
      maxProviders: readWhole(options, "maxProviders", { otherwise: 1000, least: 1 }),
      maxConnections: readWhole(options, "maxConnections", { otherwise: Number.POSITIVE_INFINITY, least: 1 }),
      maxProcesses: readWhole(options, "maxProcesses", { otherwise: Number.POSITIVE_INFINITY, least: 0 }),
      maxPerPrincipal: readWhole(options, "maxPerPrincipal", { otherwise: Number.POSITIVE_INFINITY, least: 1 }),
    },
  };
}

type NumberName = Exclude<keyof PoolLimits, "clock"> | "maxPerPrincipal";

type NumberOptions = { readonly [Name in NumberName]?: number | undefined };

interface NumberRange {
  readonly otherwise: number;
  readonly least: number;
  readonly most?: number;
}

function readWhole(options: NumberOptions, name: NumberName, range: NumberRange): number {
  const value = readNumber(options, name, range);
  if (Math.floor(value) === value) return value;
  throw new TypeError(`${name} must be a whole number of ${range.least} or more`);
}

function readNumber(
  options: NumberOptions,
  name: NumberName,
  { otherwise, least, most = Number.POSITIVE_INFINITY }: NumberRange,
): number {
  const value = options[name] ?? otherwise;
  if (typeof value === "number" && value >= least && value <= most) return value;
  const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new TypeError(`${name} must be a number ${range}`);
}
