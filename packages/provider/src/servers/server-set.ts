import {
  defaultTimeouts,
  type Connection,
  type HostsideError,
  type ServerSpec,
  type ToolListing,
} from "@hostside/core";
import { clock, compareText, unknownServerError, withDefaults, settleWithin } from "@hostside/core/implement";
import type { ProviderSettings } from "../api/provider-options.ts";
import { CallQueue } from "../calls/call-queue.ts";
import { findOffered } from "../catalog/catalog.ts";
import type { LinkPolicy } from "../link/link-state.ts";
import { Link } from "../link/link.ts";
import { type Session, sessionCloseMs } from "../link/sessions.ts";
import { Showing, changeSpec, takeListing } from "./showing.ts";
import type { Registration } from "./registration.ts";
import { ServerReports, type ProviderParts } from "./server-reports.ts";

/** The registered servers, and the way from each of them to the catalogue. Empty at first. */
export class ServerSet {
  readonly #parts: ProviderParts;
  readonly #registrations = new Map<string, Registration>();
  /** Registrations that have ended, while something of them is left. */
  readonly draining: DrainingServers = new DrainingServers();
  readonly showing: Showing;
  #lastNumber = 0;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.showing = new Showing(() => this.all(), parts);
  }

  get(id: string): Registration | undefined {
    return this.#registrations.get(id);
  }

  /** Returns the registration of this id. Throws `unknown_server`. */
  require(id: string): Registration {
    const registration = this.#registrations.get(id);
    if (registration === undefined) throw unknownServerError(id, this.#registrations.keys());
    return registration;
  }

  /** Returns all, sorted by id. */
  all(): readonly Registration[] {
    return Array.from(this.#registrations.values()).sort((a, b) => compareText(a.id, b.id));
  }

  /** Registers a server; nothing starts. A `provisional` server shows nothing until `settle`. */
  add(spec: ServerSpec, { provisional = false }: { readonly provisional?: boolean } = {}): Registration {
    const registration = this.#put(spec, provisional);
    if (!provisional && this.#parts.observers.status.hasListeners) this.showing.announce(registration);
    return registration;
  }

  /**
   * Makes a provisional registration one like any other, and shows what it has listed.
   */
  settle(registration: Registration): void {
    registration.provisional = false;
    this.show([registration]);
  }

  /** Shows the tools of registrations that were held, in one step. */
  show(held: Iterable<Registration>): void {
    const shown = Array.from(held).filter((registration) => this.#isCurrent(registration));
    for (const registration of shown) registration.held = false;
    if (shown[0] !== undefined) this.showing.publish(shown[0]);
    for (const registration of shown) this.showing.announce(registration);
  }

  /** Gives a registration another spec, for all that needs no new session. */
  respec(registration: Registration, spec: ServerSpec): void {
    const news = changeSpec(registration, spec);
    this.showing.publish(registration);
    this.showing.announce(registration);
    this.showing.report(news);
  }

  /**
   * Puts a new registration in the place of another one, whose tools stay on show until there are
   * new ones.
   */
  replace(old: Registration, spec: ServerSpec, ending: RegistrationEnding): Registration {
    void this.draining.end(old, ending);
    const next = Object.assign(this.#put(spec, false), { replacements: old.replacements });
    if (old.shownListing !== undefined && !old.held && spec.disabled !== true) next.shownListing = old.shownListing;
    this.showing.publish(next);
    if (spec.disabled === true) this.showing.announce(next);
    return next;
  }

  /**
   * Ends a registration, if it has not ended yet. Resolves when nothing is left of it, nor of those
   * before it that it does not spare.
   */
  async end(registration: Registration, ending: RegistrationEnding): Promise<void> {
    let gone: Promise<void> | undefined;
    if (this.#isCurrent(registration)) {
      this.#registrations.delete(registration.id);
      this.#parts.catalog.user.release(registration.id);
      // Before anybody hears of it: a listener may add a server of the same id, which has to know
      // that this one is still leaving.
      gone = this.draining.end(registration, ending);
      this.showing.publish(registration);
      this.showing.announceEnd(registration);
    }
    await (ending.sparesEarlier === true && gone !== undefined ? gone : this.draining.left(registration));
  }

  /** Ends all, without a word. Resolves when nothing is left. */
  endAll(error: HostsideError): Promise<void> {
    for (const registration of this.all()) void this.draining.end(registration, { error });
    this.#registrations.clear();
    return this.draining.cut();
  }

  #isCurrent(registration: Registration): boolean {
    return this.#registrations.get(registration.id) === registration;
  }

  #put(spec: ServerSpec, provisional: boolean): Registration {
    const { settings, catalog, observers, identity } = this.#parts;
    const { connector, requestSeam: seam } = settings;
    const { id } = spec;
    const hooks = new ServerReports({
      registration: () => registration,
      onListing: (listing, session) => this.#take(registration, listing, session),
      onState: () => this.showing.announce(registration),
      parts: this.#parts,
    });
    const policyOf = (current: ServerSpec): LinkPolicy => readPolicy(current, settings);
    const predecessor = this.draining.ahead(id);
    const link = new Link({ spec, connector, policyOf, hooks, predecessor, seam });
    const queue = new CallQueue({
      link,
      find: (toolName) => findOffered(catalog.current, id, toolName),
      isQuarantined: (toolName) => catalog.current.servers.get(id)?.withheld.get(toolName)?.admission === "quarantine",
      callEnded: observers.callEnded,
      diagnose: (diagnostic) => observers.diagnose(diagnostic),
    });
    this.#lastNumber += 1;
    const registration: Registration = {
      id,
      number: this.#lastNumber,
      provider: identity,
      link,
      queue,
      replacements: 0,
      held: provisional,
      provisional,
      gone: new AbortController(),
      usersWaiting: 0,
    };
    this.#registrations.set(id, registration);
    catalog.user.claim(id);
    return registration;
  }

  #take(registration: Registration, listing: ToolListing, { connection }: Session): void {
    // What ended can publish nothing more.
    if (!this.#isCurrent(registration)) return;
    const news = takeListing(registration, listing, connection.server);
    registration.listedAt = clock.date();
    this.showing.publishNews(registration);
    this.showing.report(news);
  }
}

// Connecting and listing have deadlines of their own. These are for a connector that never answers.
function readPolicy({ timeouts }: ServerSpec, { policy }: ProviderSettings): LinkPolicy {
  const { connectMs, listMs, closeMs } = withDefaults(defaultTimeouts, timeouts);
  return { ...policy, connectBackstopMs: connectMs + 5 * closeMs, listBackstopMs: listMs + closeMs };
}

/** The parts that all operations of a provider share. */
export interface ProviderContext extends ProviderParts {
  readonly serverSet: ServerSet;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
}

/** Returns what the product gets of a session. */
export type Lend = (registration: Registration, session: Session) => Connection;

/** Why a registration ends, and how long its calls that are under way may take to finish. */
interface RegistrationEnding {
  readonly error: HostsideError;
  /** In milliseconds. Default 0: they are cut. */
  readonly drainMs?: number | undefined;
  /**
   * Says whether what had its id before keeps the time that it was given. Default `false`: it gets
   * no more than this one.
   */
  readonly sparesEarlier?: boolean | undefined;
}

interface Draining {
  readonly registration: Registration;
  /** Settles when the next session under its id may start. */
  readonly vacated: Promise<void>;
  readonly gone: Promise<void>;
  /** Lets nothing finish any more. */
  readonly cut: () => void;
}

/**
 * Registrations that have ended, while something of their sessions is left. Calls that are under
 * way finish within the `drainMs` of their ending, and are cut then; beyond that, nothing is waited
 * for any longer than `timeouts.closeMs` of its server allow. No promise of it ever rejects.
 */
class DrainingServers {
  readonly #draining = new Set<Draining>();

  /**
   * Settles when nothing is left that the next session under this id has to wait for; `undefined`
   * when nothing is.
   */
  ahead(id: string): Promise<void> | undefined {
    const ahead = Array.from(this.#draining).filter(({ registration }) => registration.id === id);
    return ahead.length === 0 ? undefined : allOf(ahead.map(({ vacated }) => vacated));
  }

  /**
   * Settles when nothing is left of the sessions of a registration, and of those before it under
   * its id.
   */
  left(registration: Registration): Promise<void> {
    const { id, number } = registration;
    const upToIt = Array.from(this.#draining).filter(({ registration: one }) => one.id === id && one.number <= number);
    return upToIt.length === 0 ? this.#closed(registration) : allOf(upToIt.map(({ gone }) => gone));
  }

  /**
   * Ends a registration: it takes nothing new from now on. Settles when nothing of it is left.
   */
  end(registration: Registration, { error, drainMs = 0, sparesEarlier = false }: RegistrationEnding): Promise<void> {
    const { id, link, queue } = registration;
    for (const earlier of this.#draining) {
      if (!sparesEarlier && earlier.registration.id === id) this.#cutWithin(drainMs, earlier);
    }
    link.remove(error, drainMs > 0);
    queue.rejectWaiting(error);
    registration.gone.abort();
    let cut = (): void => {};
    const drained = new Promise<void>((resolve) => {
      const cancel = drainMs > 0 ? clock.schedule(drainMs, resolve) : resolve();
      cut = () => {
        cancel?.();
        resolve();
      };
    });
    if (drainMs > 0) void link.gone().then(cut);
    const leave = async (): Promise<void> => {
      if (drainMs > 0) {
        await drained;
        link.cut(error);
      }
      await this.#closed(registration);
      this.#draining.delete(draining);
    };
    const gone = leave();
    // A server behind a URL serves many sessions at once. A process may own a port, a file or a
    // profile that the next one wants.
    const mayOverlap = drainMs > 0 && link.spec.url !== undefined;
    const draining = { registration, vacated: mayOverlap ? this.#closed(registration, true) : gone, gone, cut };
    this.#draining.add(draining);
    return gone;
  }

  /** Lets nothing finish any more, under this id or any. Settles when nothing of them is left. */
  async cut(id?: string): Promise<void> {
    const ending = Array.from(this.#draining).filter(({ registration }) => id === undefined || registration.id === id);
    for (const { cut } of ending) cut();
    await allOf(ending.map(({ gone }) => gone));
  }

  #closed({ link }: Registration, butDraining = false): Promise<void> {
    const timeoutMs = sessionCloseMs(link.spec.timeouts?.closeMs ?? defaultTimeouts.closeMs);
    return settleWithin(link.gone(butDraining), timeoutMs);
  }

  #cutWithin(drainMs: number, { cut, gone }: Draining): void {
    if (drainMs === 0) return cut();
    const cancel = clock.schedule(drainMs, cut);
    void gone.finally(cancel);
  }
}

async function allOf(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.all(promises);
}
