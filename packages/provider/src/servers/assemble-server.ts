import { defaultTimeouts, type ServerSpec } from "@hostside/core";
import { withDefaults } from "@hostside/core/implement";
import { longestAgreementMs } from "../catalog/agree-on-names.ts";
import { createCallQueue } from "../calls/call-queue.ts";
import { findCallable } from "../catalog/catalog.ts";
import { createLink, type Link } from "../link/link.ts";
import type { LinkPolicy } from "../link/link-policy.ts";
import type { ProviderSettings } from "../provider-options.ts";
import type { ProviderParts } from "../provider-parts.ts";
import type { Registration } from "./registration.ts";
import { createServerReports, type ServerReportsInit } from "./server-reports.ts";

/** What is special about one server. */
export interface ServerInit extends Pick<ServerReportsInit, "onListing" | "onState"> {
  readonly spec: ServerSpec;
  readonly number: number;
  readonly provisional: boolean;
  readonly predecessor: Promise<void> | undefined;
  /** See {@linkcode Registration.earlierUntil}. */
  readonly earlierUntil: Registration["earlierUntil"];
}

/** Makes one server's link and call queue, and what they report; nothing starts. */
export function assembleServer(
  { spec, number, provisional, predecessor, earlierUntil, onListing, onState }: ServerInit,
  parts: ProviderParts,
): Registration {
  const { settings, catalog, observers } = parts;
  const { connector, clock, random, requestSeam: seam } = settings;
  const { id } = spec;
  const hooks = createServerReports({ registration: () => registration, onListing, onState, parts });
  const link: Link = createLink({
    spec,
    connector,
    clock,
    random,
    policyOf: (current) => policyOf(current, settings, catalog.asksForNames ? longestAgreementMs : 0),
    hooks,
    predecessor,
    seam,
  });
  const queue = createCallQueue({
    link,
    clock,
    find: (toolName) => findCallable(catalog.current, id, toolName),
    isQuarantined: (toolName) => catalog.current.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine",
    callEnded: observers.callEnded,
    diagnostic: observers.diagnostic,
    earlierUntil,
  });
  const registration: Registration = {
    id,
    number,
    provider: parts.identity,
    link,
    queue,
    earlierUntil,
    replacements: 0,
    held: provisional,
    provisional,
    usersWaiting: 0,
  };
  return registration;
}

// A connector settles by itself within its timeouts, and cleans up before it does. The backstops
// are for one that does not.
function policyOf({ timeouts }: ServerSpec, { policy }: ProviderSettings, agreementMs: number): LinkPolicy {
  const { connectMs, listMs, closeMs } = withDefaults(defaultTimeouts, timeouts);
  return { ...policy, connectBackstopMs: connectMs + 5 * closeMs, listBackstopMs: listMs + closeMs + agreementMs };
}
