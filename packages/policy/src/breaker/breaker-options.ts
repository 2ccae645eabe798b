import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { readPositiveNumber, readPositiveInteger } from "../read-number.ts";
import type { ToolSelection } from "../rules/select-tools.ts";

/** When a server is left alone because it fails, and how it is tried again. */
export interface BreakerOptions {
  /** Which servers, by their ids. Must not throw. Default: all. */
  readonly servers?: ((serverId: string) => boolean) | undefined;
  /** Calls of which tools. Default: all requests of a server, listings and reads too. */
  readonly tools?: ToolSelection | undefined;
  /**
   * What fails together: all requests of a server, or the calls of each tool by themselves.
   * Default `"server"`.
   */
  readonly per?: "server" | "tool" | undefined;
  /** So many failures in a row open it. Default 5. */
  readonly failures?: number | undefined;
  /**
   * How long it stays open at first, in milliseconds. Default 10,000. Each probe that fails doubles
   * that.
   */
  readonly openMs?: number | undefined;
  /** How long it stays open at most, in milliseconds. Default 120,000. */
  readonly maxOpenMs?: number | undefined;
  /** So many probes in a row that succeed close it. Default 2. There is one at a time. */
  readonly successes?: number | undefined;
}

/** Breaker options that were read. */
export type BreakerRules = Required<{
  readonly [Name in "failures" | "openMs" | "maxOpenMs" | "successes"]: number;
}> & { readonly per: "server" | "tool" };

const fields: Fields<BreakerOptions> = {
  servers: true,
  tools: true,
  per: true,
  failures: true,
  openMs: true,
  maxOpenMs: true,
  successes: true,
};

/** A breaker that stays open for a minute after 5 failures in a row. */
export function moderateBreaker(): BreakerOptions {
  return { failures: 5, openMs: 60_000 };
}

/**
 * Reads options. Throws a `TypeError` that names the first member that makes no sense, such as
 * `breaker.openMs`.
 */
export function readBreaker(options: BreakerOptions, place: string = "breaker"): BreakerRules {
  assertKnownOptions(place, options, fields);
  const { per = "server", failures = 5, openMs = 10_000, successes = 2 } = options;
  const { maxOpenMs = Math.max(openMs, 120_000) } = options;
  if (options.servers !== undefined && typeof options.servers !== "function") {
    throw new TypeError(`${place}.servers must be a function`);
  }
  if (per !== "server" && per !== "tool") throw new TypeError(`${place}.per must be "server" or "tool"`);
  for (const [name, count] of Object.entries({ failures, successes })) readPositiveInteger(count, `${place}.${name}`);
  for (const [name, ms] of Object.entries({ openMs, maxOpenMs })) readPositiveNumber(ms, `${place}.${name}`);
  if (maxOpenMs < openMs) throw new TypeError(`${place}.maxOpenMs must not be below ${place}.openMs`);
  return { per, failures, openMs, maxOpenMs, successes };
}
