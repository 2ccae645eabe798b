import type { Account } from "../account.ts";
import { readChallenges } from "./read-challenges.ts";
import { joinScopes } from "./scopes.ts";

// Both carry the same parameters (RFC 6750, 3; RFC 9449, 7.1).
const tokenSchemes: ReadonlySet<string> = new Set(["bearer", "dpop"]);

/**
 * Takes note of what a refusal says about how to get in. Where its metadata are counts only on the
 * server's own origin (RFC 9728, 3): what it names elsewhere could be anything in the host's
 * network.
 */
export function noteChallenge({ hints, serverUrl }: Account, header: string | undefined): void {
  hints.isHeard = true;
  const challenges = readChallenges(header).filter(({ scheme }) => tokenSchemes.has(scheme));
  if (challenges.length === 0) return;
  // Who takes plain tokens as well does not insist.
  hints.dpop = challenges.every(({ scheme }) => scheme === "dpop");
  for (const { parameters } of challenges) {
    const named = parameters.get("resource_metadata");
    const url = named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
    if (url?.origin === serverUrl.origin) hints.metadataUrl = url;
    hints.scope = joinScopes(hints.scope, parameters.get("scope"));
  }
}
