import type { ServerSpec, ToolListing, ToolportError } from "@toolport/core";
import { compareText } from "../catalog/catalog.ts";
import type { Session } from "../link/sessions.ts";
import type { ProviderParts } from "../provider-parts.ts";
import { createAnnouncer } from "./announce-status.ts";
import { assembleServer } from "./assemble-server.ts";
import { createPublisher, type Publisher } from "./publish-listings.ts";
import type { Registration } from "./registration.ts";
import { readStatus, type ServerStatus } from "./server-status.ts";
import { changeSpec, takeListing } from "./take-listing.ts";
import { createDepartures } from "./wait-until-gone.ts";

/** The registered servers, and the way from each of them to the catalogue. */
export interface ServerSet {
  get(id: string): Registration | undefined;
  /** Sorted by id. */
  all(): readonly Registration[];
  /** Registers a server; nothing starts. `held` keeps its tools back until `show`. */
  add(spec: ServerSpec, held: boolean): Registration;
  /** Shows the tools of registrations that were held, in one step. */
  show(registrations: Iterable<Registration>): void;
  /** Gives a registration another spec, for all that needs no new session. */
  respec(registration: Registration, spec: ServerSpec): void;
  /** Puts a new registration in the place of another one, whose tools stay on show until there are new ones. */
  replace(old: Registration, spec: ServerSpec, error: ToolportError): Registration;
  readonly unpublished: Publisher["unpublished"];
  /** Settles when nothing is left of the sessions that a registration has now. */
  left(registration: Registration): Promise<void>;
  /** Ends a registration, if it has not ended yet. Resolves when nothing of it is left. */
  end(registration: Registration, error: ToolportError): Promise<void>;
  /** Ends all, without a word. Resolves when nothing is left. */
  endAll(error: ToolportError): Promise<void>;
  status(registration: Registration): ServerStatus;
}

/** Makes an empty set. */
export function createServerSet(parts: ProviderParts): ServerSet {
  const { settings, catalog, observers } = parts;
  const registrations = new Map<string, Registration>();
  const departures = createDepartures(settings.clock);
  const statusOf = (registration: Registration): ServerStatus =>
    readStatus(registration, { catalog: catalog.current, clock: settings.clock });
  const announce = createAnnouncer(observers.status, statusOf);
  let lastNumber = 0;

  const all = (): readonly Registration[] => Array.from(registrations.values()).sort((a, b) => compareText(a.id, b.id));
  const isCurrent = (registration: Registration): boolean => registrations.get(registration.id) === registration;
  const { publish, publishNews, unpublished } = createPublisher(all, parts);
  const onListing = (registration: Registration, listing: ToolListing, { connection }: Session): void => {
    // What ended can publish nothing more.
    if (!isCurrent(registration)) return;
    const news = takeListing(registration, listing, connection.server);
    publishNews(registration);
    for (const diagnostic of news) observers.diagnostic.emit(diagnostic);
  };
  const put = (spec: ServerSpec, held: boolean): Registration => {
    lastNumber += 1;
    const predecessor = departures.of(spec.id);
    const registration = assembleServer(
      { spec, number: lastNumber, held, predecessor, onListing, onState: announce },
      parts,
    );
    registrations.set(spec.id, registration);
    return registration;
  };
  const stop = (registration: Registration, error: ToolportError): Promise<void> => {
    registration.link.remove(error);
    registration.lane.rejectWaiting(error);
    return departures.add(registration);
  };

  return {
    get: (id) => registrations.get(id),
    all,
    add(spec, held) {
      const registration = put(spec, held);
      if (spec.disabled === true) announce(registration);
      return registration;
    },
    show(held) {
      const shown = Array.from(held).filter(isCurrent);
      for (const registration of shown) registration.held = false;
      if (shown[0] !== undefined) publish(shown[0]);
      for (const registration of shown) announce(registration);
    },
    respec(registration, spec) {
      const news = changeSpec(registration, spec);
      publish(registration);
      announce(registration);
      for (const diagnostic of news) observers.diagnostic.emit(diagnostic);
    },
    replace(old, spec, error) {
      void stop(old, error);
      const next = put(spec, false);
      if (old.listed !== undefined && !old.held && spec.disabled !== true) next.listed = old.listed;
      publish(next);
      if (spec.disabled === true) announce(next);
      return next;
    },
    unpublished,
    left: (registration) => departures.left(registration),
    async end(registration, error) {
      if (isCurrent(registration)) {
        registrations.delete(registration.id);
        catalog.forgetNames(registration.id);
        // Before anybody is told: a listener may add a server of the same id, which has to know that this one is still leaving.
        void stop(registration, error);
        publish(registration);
        observers.status.emit(statusOf(registration));
      }
      await departures.of(registration.id);
    },
    endAll(error) {
      for (const registration of all()) void stop(registration, error);
      registrations.clear();
      return departures.all();
    },
    status: statusOf,
  };
}
