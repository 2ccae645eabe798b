import { assertKnownOptions, readWholeNumber, type Fields } from "@hostside/core/implement";
import type { Capacity } from "./capacity.ts";
import type { SharedProvidersOptions } from "./shared-providers.ts";

/** Options with their defaults. */
export interface PoolSettings {
  readonly ttlMs: number;
  readonly sweepMs: number;
  readonly waitMs: number;
  readonly makeMs: number;
  readonly drainMs: number;
  readonly limits: Capacity;
}

const optionFields: Fields<SharedProvidersOptions> = {
  make: true,
  servers: true,
  ttlMs: true,
  maxProviders: true,
  maxConnections: true,
  maxProcesses: true,
  maxPerPrincipal: true,
  waitMs: true,
  makeMs: true,
  drainMs: true,
};

/**
 * Fills in the defaults. Throws a `TypeError` that names the option that is unknown, of a wrong
 * type or out of range.
 */
export function readPoolOptions(options: SharedProvidersOptions): PoolSettings {
  assertKnownOptions("createSharedProviders()", options, optionFields);
  if (typeof options.make !== "function") throw new TypeError("make must be a function");
  const read = (name: NumberName, least: number, otherwise: number): number =>
    readWholeNumber(options[name], name, { least, otherwise });
  const ttlMs = read("ttlMs", 0, 1_800_000);
  return {
    ttlMs,
    sweepMs: Math.min(60_000, Math.max(50, ttlMs / 10)),
    waitMs: read("waitMs", 0, 0),
    makeMs: read("makeMs", 1, 60_000),
    drainMs: read("drainMs", 0, 5000),
    limits: {
      maxProviders: read("maxProviders", 1, 1000),
      maxConnections: read("maxConnections", 1, 4000),
      maxProcesses: read("maxProcesses", 0, 250),
      maxPerPrincipal: read("maxPerPrincipal", 1, Number.POSITIVE_INFINITY),
    },
  };
}

type NumberName = Exclude<keyof SharedProvidersOptions, "make" | "servers">;
