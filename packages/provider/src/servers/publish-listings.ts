import { HostsideError, type Diagnostic } from "@hostside/core";
import type { ToolServerListing } from "../catalog/catalog.ts";
import type { ProviderParts } from "../provider-parts.ts";
import { collisionDiagnostics, faultDiagnostics } from "./listing-diagnostics.ts";
import type { Registration } from "./registration.ts";

/** The way from the registrations to the catalogue. */
export interface Publisher {
  /**
   * Shows the latest listings of all registrations that are not held. `cause` is the one that has
   * news, for errors. Never throws.
   */
  readonly publish: (cause: Registration) => void;
  /**
   * Asks of every tool once more whether it is on offer, and shows what is. Throws when no
   * catalogue could be made.
   */
  readonly readmit: () => void;
  /** The same if a registration has tools to show that are not on show. */
  readonly publishNews: (cause: Registration) => void;
  /**
   * Why a registration's latest listing is not on show; `undefined` when it is, or is not meant to
   * be.
   */
  readonly unpublished: (registration: Registration) => HostsideError | undefined;
}

/** Makes a publisher of these registrations. */
export function createPublisher(
  all: () => readonly Registration[],
  { catalog, observers, settings }: ProviderParts,
): Publisher {
  /** Why the latest catalogue could not be made. */
  let failure: HostsideError | undefined;
  // A refresh of a thousand servers without news must not make a thousand catalogues.
  const isShown = ({ id, held, listed }: Registration): boolean =>
    held || listed === undefined || catalog.current.servers.get(id)?.listing === listed;
  const publishWhen = async (
    agreed: Promise<void>,
    registration: Registration,
    listed: ToolServerListing,
  ): Promise<void> => {
    await agreed;
    // It may have ended meanwhile, or listed something else.
    if (registration.listed === listed && all().includes(registration)) publisher.publishNews(registration);
  };
  /**
   * What is to be shown of a registration; what is on show already, while names for its latest
   * listing are agreed on.
   */
  const showable = (registration: Registration): ToolServerListing | undefined => {
    const { id: serverId, held, listed } = registration;
    if (held || listed === undefined || isShown(registration)) return held ? undefined : listed;
    const report = (diagnostic: Diagnostic): void => observers.diagnostic.emit(diagnostic);
    const agreed = catalog.agreeOnNames(listed, { clock: settings.clock, report });
    // What was saved is on show without waiting, and named here: others hear of its names, which
    // stay whatever they answer.
    if (agreed === undefined || registration.saved !== undefined) return listed;
    void publishWhen(agreed, registration, listed);
    return catalog.current.servers.get(serverId)?.listing;
  };
  const show = (readmit: boolean): void => {
    const registrations = all();
    const listings = registrations.flatMap((registration) => showable(registration) ?? []);
    const collisions = catalog.publish(listings, { readmit });
    failure = undefined;
    for (const diagnostic of collisionDiagnostics(collisions)) observers.diagnostic.emit(diagnostic);
    for (const diagnostic of faultDiagnostics(settings.takeFaults(), listings)) observers.diagnostic.emit(diagnostic);
  };
  const publisher: Publisher = {
    publish({ id: serverId }) {
      try {
        show(false);
      } catch (cause) {
        // The last good catalogue stays. What is to blame is a naming strategy of the product's
        // own, or we are.
        const message = "the tools could not be shown, because making the catalogue failed; the last good one stays";
        failure = new HostsideError(message, { code: "internal_error", serverId, outcome: "not-sent", cause });
        observers.diagnostic.emit({ kind: "defect", serverId, message });
      }
    },
    readmit: () => show(true),
    publishNews(cause) {
      if (!isShown(cause)) publisher.publish(cause);
    },
    unpublished: (registration) => (isShown(registration) ? undefined : failure),
  };
  return publisher;
}
