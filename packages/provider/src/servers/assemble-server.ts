import { defaultTimeouts, type Diagnostic, type ServerSpec, type ToolListing } from "@toolport/core";
import { partyOf, withDefaults } from "@toolport/core/implement";
import { longestAgreementMs } from "../catalog/agree-on-names.ts";
import { createCallLane } from "../calls/call-lane.ts";
import { findCallable } from "../catalog/catalog.ts";
import { createLink, type Link, type LinkHooks } from "../link/link.ts";
import type { LinkPolicy } from "../link/link-policy.ts";
import type { Session } from "../link/sessions.ts";
import type { ProviderSettings } from "../provider-options.ts";
import type { ProviderParts } from "../provider-parts.ts";
import { heldListing } from "../saved/held-listing.ts";
import { announceOperation } from "./announce-operation.ts";
import type { Registration } from "./registration.ts";

/** What is special about one server. */
export interface ServerInit {
  readonly spec: ServerSpec;
  readonly number: number;
  readonly provisional: boolean;
  readonly predecessor: Promise<void> | undefined;
  /** See {@linkcode Registration.earlierUntil}. */
  readonly earlierUntil: Registration["earlierUntil"];
  readonly onListing: (registration: Registration, listing: ToolListing, session: Session) => void;
  readonly onState: (registration: Registration) => void;
}

/** Makes one server's link and lane, and what they report; nothing starts. */
export function assembleServer(
  { spec, number, provisional, predecessor, earlierUntil, onListing, onState }: ServerInit,
  { settings, catalog, observers }: ProviderParts,
): Registration {
  const { connector, clock, random, onElicit, principal } = settings;
  const { id } = spec;
  const report = (diagnostic: Diagnostic): void => observers.diagnostic.emit(diagnostic);
  const hooks: LinkHooks = {
    mayRetry: () => !registration.provisional,
    // What was saved does not count: a part of what the server has now is worth more.
    hasWholeListing: () => registration.listing !== undefined && registration.listing.truncated === undefined,
    known: () => heldListing(registration.saved, clock),
    ...(catalog.asksForNames && {
      beforeListed: ({ tools }, signal) => catalog.agreeOnNames({ spec: link.spec, tools }, { clock, signal, report }),
    }),
    publish: (listing, session) => onListing(registration, listing, session),
    onState: () => onState(registration),
    announcer: () =>
      observers.serverOperation.hasListeners
        ? (operation) => announceOperation(observers.serverOperation, operation)
        : undefined,
    onRecord: (record) => observers.serverRecord.emit(record),
    onDefect: () =>
      observers.diagnostic.emit({ kind: "defect", serverId: id, message: "a step of the server's life failed" }),
    onDiagnostic: report,
    onLog: (log) => observers.serverLog.emit({ serverId: id, ...log }),
    onResourcesChanged: () => observers.resourcesChanged.emit({ serverId: id }),
    onPromptsChanged: () => observers.promptsChanged.emit({ serverId: id }),
    onResourceUpdated: (uri) => observers.resourceUpdated.emit({ serverId: id, uri }),
    onNotification: (notification) => observers.notification.emit({ ...notification, serverId: id }),
    isInteractive: () => registration.usersWaiting > 0,
    ...(principal !== undefined && { principal }),
    ...(onElicit && {
      async onElicit(request, signal) {
        // A human's time is nobody's fault: what waits for this server waits without a clock until the answer is there.
        const resume = registration.lane.pausable.pause(partyOf(request.context));
        // Nor is it anybody's when the question is over and the product's handler goes on all the same.
        signal.addEventListener("abort", resume, { once: true });
        try {
          return await onElicit(request, signal);
        } finally {
          signal.removeEventListener("abort", resume);
          resume();
        }
      },
    }),
  };
  const link: Link = createLink({
    spec,
    connector,
    clock,
    random,
    policyOf: (current) => policyOf(current, settings, catalog.asksForNames ? longestAgreementMs : 0),
    hooks,
    predecessor,
  });
  const lane = createCallLane({
    link,
    clock,
    find: (toolName) => findCallable(catalog.current, id, toolName),
    isQuarantined: (toolName) => catalog.current.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine",
    registrationOf: (definition) => catalog.registrationOf(definition),
    callEnded: observers.callEnded,
    earlierUntil,
  });
  const registration: Registration = {
    id,
    number,
    link,
    lane,
    earlierUntil,
    replacements: 0,
    held: provisional,
    provisional,
    usersWaiting: 0,
  };
  return registration;
}

// A connector settles by itself within its timeouts, and cleans up before it does. The backstops are for one that does not.
function policyOf({ timeouts }: ServerSpec, { policy }: ProviderSettings, agreementMs: number): LinkPolicy {
  const { connectMs, listMs, closeMs } = withDefaults(defaultTimeouts, timeouts);
  return { ...policy, connectBackstopMs: connectMs + 5 * closeMs, listBackstopMs: listMs + closeMs + agreementMs };
}
