import { assertKnownOptions, systemClock, type Fields } from "@toolport/core/implement";
import type { Clock } from "@toolport/core";
import type { OAuthOptions } from "./oauth-options.ts";

/** The options of `createOAuth`, checked and with their defaults. */
export interface OAuthSettings extends OAuthOptions {
  readonly clock: Clock;
  readonly refreshSkewMs: number;
}

const optionFields: Fields<OAuthOptions> = {
  store: true,
  redirect: true,
  prompt: true,
  clients: true,
  product: true,
  askForClient: true,
  guard: true,
  fetch: true,
  refreshSkewMs: true,
  clock: true,
};

/** Fills in the defaults. Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readOAuthOptions(options: OAuthOptions): OAuthSettings {
  assertKnownOptions("createOAuth()", options, optionFields);
  const { clock = systemClock, refreshSkewMs = 60_000 } = options;
  return { ...options, clock, refreshSkewMs };
}
