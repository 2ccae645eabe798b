import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { readPositiveNumber, readPositiveInteger } from "../read-number.ts";

/** When a server is left alone because it fails, and how it is tried again. */
export interface BreakerOptions {
  /** Which servers, by their ids. Must not throw. Default: all. */
  readonly servers?: ((serverId: string) => boolean) | undefined;
  /**
   * What fails together: all requests of a server, or the calls of each tool by themselves.
   * Default `"server"`.
   */
  readonly per?: "server" | "tool" | undefined;
  /** So many failures in a row open it. Default 5. */
  readonly failures?: number | undefined;
  /**
   * How long it stays open at first, in milliseconds. Default 10,000. Each probe that fails doubles
   * that, up to 120,000.
   */
  readonly openMs?: number | undefined;
}

/** Breaker options that were read. */
export interface BreakerRules {
  readonly per: "server" | "tool";
  readonly failures: number;
  readonly openMs: number;
}

const fields: Fields<BreakerOptions> = { servers: true, per: true, failures: true, openMs: true };

/** A breaker that stays open for a minute after 5 failures in a row. */
export function moderateBreaker(): BreakerOptions {
  return { failures: 5, openMs: 60_000 };
}

/** Reads options. Throws a `TypeError` that names the first member that makes no sense. */
export function readBreaker(options: BreakerOptions): BreakerRules {
  assertKnownOptions("breaker", options, fields);
  const { servers, per = "server", failures = 5, openMs = 10_000 } = options;
  if (servers !== undefined && typeof servers !== "function") throw new TypeError("breaker.servers must be a function");
  if (per !== "server" && per !== "tool") throw new TypeError('breaker.per must be "server" or "tool"');
  readPositiveInteger(failures, "breaker.failures");
  readPositiveNumber(openMs, "breaker.openMs");
  return { per, failures, openMs };
}
