import type { Account } from "../account.ts";
import { readChallenges } from "./read-challenges.ts";
import { joinScopes } from "./scopes.ts";

// Both carry the same parameters (RFC 6750, 3; RFC 9449, 7.1).
const tokenSchemes: ReadonlySet<string> = new Set(["bearer", "dpop"]);

/** Takes note of what a refusal says about how to get in. */
export function noteChallenge({ hints }: Account, header: string | undefined): void {
  hints.isHeard = true;
  const challenges = readChallenges(header).filter(({ scheme }) => tokenSchemes.has(scheme));
  if (challenges.length === 0) return;
  // Who takes plain tokens as well does not insist.
  hints.dpop = challenges.every(({ scheme }) => scheme === "dpop");
  for (const { parameters } of challenges) {
    hints.metadataUrl = parameters.get("resource_metadata") ?? hints.metadataUrl;
    hints.scope = joinScopes(hints.scope, parameters.get("scope"));
  }
}
