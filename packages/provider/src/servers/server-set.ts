import {
  defaultTimeouts,
  type ServerSpec,
  type ToolListing,
  type HostsideError,
  type Diagnostic,
} from "@hostside/core";
import { compareText, dateOf, unknownServerError, withDefaults, type EventSource } from "@hostside/core/implement";
import type { Session } from "../link/sessions.ts";
import { createServerReports, type ProviderParts, type ServerReportsInit } from "./server-reports.ts";
import { createPublisher, changeSpec, takeListing, type Publisher } from "./publish-listings.ts";
import { readStatus, type Registration } from "./registration.ts";
import type { ServerStatus } from "../api/server-status.ts";
import { createDrainingRegistrations, type RegistrationEnding } from "./end-server.ts";
import { createCallQueue } from "../calls/call-queue.ts";
import { findCallable } from "../catalog/catalog.ts";
import { createLink, type Link } from "../link/link.ts";
import type { LinkPolicy } from "../link/link-state.ts";
import type { ProviderSettings } from "../api/provider-options.ts";

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
    const news = takeListing(registration, listing, connection.server);
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
function assembleServer(
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
    policyOf: (current) => policyOf(current, settings),
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
function policyOf({ timeouts }: ServerSpec, { policy }: ProviderSettings): LinkPolicy {
  const { connectMs, listMs, closeMs } = withDefaults(defaultTimeouts, timeouts);
  return { ...policy, connectBackstopMs: connectMs + 5 * closeMs, listBackstopMs: listMs + closeMs };
}

/** What of the registrations is shown and said. */
export interface Showing extends Publisher {
  readonly status: (registration: Registration) => ServerStatus;
  /** Says in which state a registration is now, if that is news. */
  readonly announce: (registration: Registration) => void;
  /** Says that a registration has ended. */
  readonly announceEnd: (registration: Registration) => void;
  readonly report: (diagnostics: readonly Diagnostic[]) => void;
  /**
   * Puts off what is shown and said until `work` is done: then what is shown changes once, and the
   * rest is said. `work` must not wait.
   */
  readonly together: (work: () => void) => void;
}

interface PutOff {
  cause: Registration | undefined;
  readonly tasks: (() => void)[];
}

/** Makes the way from registrations to those who watch. */
function createShowing(all: () => readonly Registration[], parts: ProviderParts): Showing {
  const { observers, catalog, settings } = parts;
  const statusOf = (registration: Registration): ServerStatus =>
    readStatus(registration, { catalog: catalog.current, clock: settings.clock });
  const { publish, ...publisher } = createPublisher(all, parts);
  const announce = createAnnouncer(observers.status, statusOf);
  let putOff: PutOff | undefined;
  const say = (task: () => void): void => {
    if (putOff === undefined) task();
    else putOff.tasks.push(task);
  };
  return {
    ...publisher,
    publish(cause) {
      if (putOff === undefined) publish(cause);
      else putOff.cause = cause;
    },
    status: statusOf,
    announce: (registration) => say(() => announce(registration)),
    announceEnd: (registration) => say(() => observers.status.emit(statusOf(registration))),
    report(diagnostics) {
      for (const diagnostic of diagnostics) say(() => observers.diagnostic.emit(diagnostic));
    },
    together(work) {
      const mine: PutOff = { cause: undefined, tasks: [] };
      putOff = mine;
      try {
        work();
      } finally {
        putOff = undefined;
        if (mine.cause !== undefined) publish(mine.cause);
        for (const task of mine.tasks) task();
      }
    },
  };
}

/**
 * Makes a function that announces a registration's status if anything in it is news. The end of a
 * registration is not announced here, because whether it is one depends on what comes in its place.
 */
function createAnnouncer(
  status: EventSource<ServerStatus>,
  statusOf: (registration: Registration) => ServerStatus,
): (registration: Registration) => void {
  const announced = new WeakMap<Registration, string>();
  return (registration) => {
    if (registration.link.state.kind === "removed") return;
    const now = statusOf(registration);
    const news = [now.state, now.stage, now.error?.message, now.stale, now.degraded].join("\n");
    if (announced.get(registration) === news) return;
    announced.set(registration, news);
    status.emit(now);
  };
}
