import { type ServerSpec, type ToolListing, type HostsideError } from "@hostside/core";
import { compareText, dateOf, unknownServerError } from "@hostside/core/implement";
import type { Session } from "../link/sessions.ts";
import type { ProviderParts } from "../provider-parts.ts";
import { assembleServer } from "./assemble-server.ts";
import type { Publisher } from "./publish-listings.ts";
import type { Registration } from "./registration.ts";
import type { ServerStatus } from "./server-status.ts";
import { createShowing } from "./show-changes.ts";
import { changeSpec, takeListing } from "./take-listing.ts";
import { createDrainingRegistrations, type RegistrationEnding } from "./end-server.ts";

/** The registered servers, and the way from each of them to the catalogue. */
export interface ServerSet {
  get(id: string): Registration | undefined;
  /** The same. Throws `unknown_server`. */
  require(id: string): Registration;
  /** Sorted by id. */
  all(): readonly Registration[];
  /** Registers a server; nothing starts. One that is `provisional` shows nothing until `settle`. */
  add(spec: ServerSpec, options?: { readonly provisional?: boolean }): Registration;
  /**
   * A provisional registration is one like any other from now on, and is shown with what it has
   * listed.
   */
  settle(registration: Registration): void;
  /** Shows the tools of registrations that were held, in one step. */
  show(registrations: Iterable<Registration>): void;
  /** Gives a registration another spec, for all that needs no new session. */
  respec(registration: Registration, spec: ServerSpec): void;
  /**
   * Puts a new registration in the place of another one, whose tools stay on show until there are
   * new ones.
   */
  replace(old: Registration, spec: ServerSpec, ending: RegistrationEnding): Registration;
  readonly unpublished: Publisher["unpublished"];
  readonly readmit: Publisher["readmit"];
  /**
   * Settles when nothing is left of a registration that has ended, or of the sessions that one has
   * now.
   */
  left(registration: Registration): Promise<void>;
  /**
   * Lets nothing finish any more of what has ended under this id. Resolves when nothing of it is
   * left.
   */
  cut(id: string): Promise<void>;
  /**
   * Ends a registration, if it has not ended yet. Resolves when nothing is left of it, nor of those
   * before it that it does not spare.
   */
  end(registration: Registration, ending: RegistrationEnding): Promise<void>;
  /** Ends all, without a word. Resolves when nothing is left. */
  endAll(error: HostsideError): Promise<void>;
  /**
   * Makes several changes one: whoever watches sees what is shown change once, and hears of it when
   * all is done. `work` must not wait.
   */
  together(work: () => void): void;
  status(registration: Registration): ServerStatus;
}

/** Makes an empty set. */
export function createServerSet(parts: ProviderParts): ServerSet {
  const { catalog, settings } = parts;
  const registrations = new Map<string, Registration>();
  const draining = createDrainingRegistrations(settings.clock);
  let lastNumber = 0;

  const all = (): readonly Registration[] => Array.from(registrations.values()).sort((a, b) => compareText(a.id, b.id));
  const isCurrent = (registration: Registration): boolean => registrations.get(registration.id) === registration;
  const { publish, publishNews, announce, announceEnd, report, ...shared } = createShowing(all, parts);
  const onListing = (registration: Registration, listing: ToolListing, { connection }: Session): void => {
    // What ended can publish nothing more.
    if (!isCurrent(registration)) return;
    const isWatched = parts.observers.diagnostic.hasListeners;
    const news = takeListing(registration, listing, { server: connection.server, isWatched });
    registration.listedAt = dateOf(settings.clock);
    publishNews(registration);
    report(news);
  };
  const put = (spec: ServerSpec, provisional: boolean): Registration => {
    const number = (lastNumber += 1);
    const earlierUntil = (): number | undefined => draining.until(spec.id, number);
    const before = { predecessor: draining.ahead(spec.id), earlierUntil };
    const registration = assembleServer({ spec, number, provisional, ...before, onListing, onState: announce }, parts);
    registrations.set(spec.id, registration);
    catalog.claimNames(spec.id);
    return registration;
  };
  const show = (held: Iterable<Registration>): void => {
    const shown = Array.from(held).filter(isCurrent);
    for (const registration of shown) registration.held = false;
    if (shown[0] !== undefined) publish(shown[0]);
    for (const registration of shown) announce(registration);
  };

  return {
    get: (id) => registrations.get(id),
    require: (id) => requireIn(registrations, id),
    all,
    add(spec, { provisional = false } = {}) {
      const registration = put(spec, provisional);
      if (!provisional && parts.observers.status.hasListeners) announce(registration);
      return registration;
    },
    settle(registration) {
      registration.provisional = false;
      show([registration]);
    },
    show,
    respec(registration, spec) {
      const news = changeSpec(registration, spec);
      publish(registration);
      announce(registration);
      report(news);
    },
    replace(old, spec, ending) {
      void draining.end(old, ending);
      const next = Object.assign(put(spec, false), { replacements: old.replacements });
      if (old.listed !== undefined && !old.held && spec.disabled !== true) next.listed = old.listed;
      publish(next);
      if (spec.disabled === true) announce(next);
      return next;
    },
    ...shared,
    left: (registration) => draining.of(registration) ?? draining.left(registration),
    cut: (id) => draining.cut(id),
    async end(registration, ending) {
      let gone: Promise<void> | undefined;
      if (isCurrent(registration)) {
        registrations.delete(registration.id);
        catalog.releaseNames(registration.id);
        // Before anybody hears of it: a listener may add a server of the same id, which has to know
        // that this one is still leaving.
        gone = draining.end(registration, ending);
        publish(registration);
        announceEnd(registration);
      }
      await (ending.sparesEarlier === true && gone !== undefined ? gone : draining.of(registration));
    },
    endAll(error) {
      for (const registration of all()) void draining.end(registration, { error });
      registrations.clear();
      return draining.cut();
    },
  };
}

function requireIn(registrations: ReadonlyMap<string, Registration>, id: string): Registration {
  const registration = registrations.get(id);
  if (registration === undefined) throw unknownServerError(id, registrations.keys());
  return registration;
}
