import { HostsideError, type Diagnostic } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { NameCollision } from "@hostside/naming";
import type { ServerStatus } from "../api/server-status.ts";
import { readStatus, type Registration } from "./registration.ts";
import type { ProviderParts } from "./server-reports.ts";

interface PutOff {
  cause: Registration | undefined;
  readonly tasks: (() => void)[];
}

/** The way from the registrations to the catalogue, and to those who watch. */
export class Showing {
  readonly #all: () => readonly Registration[];
  readonly #parts: ProviderParts;
  readonly #announced = new WeakMap<Registration, string>();
  /** Why the latest catalogue could not be made. */
  #failure: HostsideError | undefined;
  /** What is put off: the latest who has tools to show, and what is to be said. */
  #putOff: PutOff | undefined;

  constructor(all: () => readonly Registration[], parts: ProviderParts) {
    this.#all = all;
    this.#parts = parts;
  }

  /**
   * Shows the latest listings of all registrations that are not held. `cause` is the one that has
   * news, for errors. Never throws.
   */
  publish(cause: Registration): void {
    if (this.#putOff !== undefined) {
      this.#putOff.cause = cause;
      return;
    }
    try {
      this.readmit(false);
    } catch (error) {
      // The last good catalogue stays. What is to blame is a naming strategy of the product's own,
      // or we are.
      const serverId = cause.id;
      const message = "the tools could not be shown, because making the catalogue failed; the last good one stays";
      const init = { code: "internal_error", serverId, outcome: "not-sent", cause: error } as const;
      this.#failure = new HostsideError(message, init);
      this.#parts.observers.diagnostic.emit({ kind: "defect", serverId, message });
    }
  }

  /** Publishes if a registration has tools to show that are not on show. */
  publishNews(cause: Registration): void {
    // A refresh of a thousand servers without news must not make a thousand catalogues.
    if (!this.#isShown(cause)) this.publish(cause);
  }

  /**
   * Asks of every tool once more whether it is on offer, and shows what is. Throws when no
   * catalogue could be made.
   */
  readmit(readmit = true): void {
    const { catalog, observers } = this.#parts;
    const listings = this.#all().flatMap(({ held, listed }) => (held || listed === undefined ? [] : [listed]));
    const { collisions, problems } = catalog.publish(listings, { readmit });
    this.#failure = undefined;
    for (const diagnostic of [...collisionDiagnostics(collisions), ...problems]) observers.diagnostic.emit(diagnostic);
  }

  /**
   * Returns why the latest listing of a registration is not on show; `undefined` when it is, or is
   * not meant to be.
   */
  unpublished(registration: Registration): HostsideError | undefined {
    return this.#isShown(registration) ? undefined : this.#failure;
  }

  status(registration: Registration): ServerStatus {
    const { catalog } = this.#parts;
    return readStatus(registration, { catalog: catalog.current });
  }

  /**
   * Says in which state a registration is now, if that is news. Its end is not announced here,
   * because whether it is one depends on what comes in its place.
   */
  announce(registration: Registration): void {
    this.#say(() => {
      if (registration.link.state.kind === "removed") return;
      const now = this.status(registration);
      const news = [now.state, now.stage, now.error?.message, now.stale, now.degraded].join("\n");
      if (this.#announced.get(registration) === news) return;
      this.#announced.set(registration, news);
      this.#parts.observers.status.emit(now);
    });
  }

  /** Says that a registration has ended. */
  announceEnd(registration: Registration): void {
    this.#say(() => this.#parts.observers.status.emit(this.status(registration)));
  }

  report(diagnostics: readonly Diagnostic[]): void {
    for (const diagnostic of diagnostics) this.#say(() => this.#parts.observers.diagnostic.emit(diagnostic));
  }

  /**
   * Makes several changes one: whoever watches sees what is shown change once, and hears of it when
   * all is done. `work` must not wait.
   */
  together(work: () => void): void {
    const mine: PutOff = { cause: undefined, tasks: [] };
    this.#putOff = mine;
    try {
      work();
    } finally {
      this.#putOff = undefined;
      if (mine.cause !== undefined) this.publish(mine.cause);
      for (const task of mine.tasks) task();
    }
  }

  #say(task: () => void): void {
    if (this.#putOff === undefined) task();
    else this.#putOff.tasks.push(task);
  }

  #isShown({ id, held, listed }: Registration): boolean {
    return held || listed === undefined || this.#parts.catalog.current.servers.get(id)?.listing === listed;
  }
}

/** One diagnostic for each tool that had to take another name than it would have had. */
function collisionDiagnostics(collisions: readonly NameCollision[]): readonly Diagnostic[] {
  return collisions.flatMap(({ name, members, reservedFor, reserved }) => {
    const message =
      reservedFor !== undefined
        ? `${quoteText(name)} would be a name of server ${JSON.stringify(reservedFor)}`
        : reserved === true
          ? `${quoteText(name)} is a reserved name`
          : `${members.length} tools would be called ${quoteText(name)}`;
    return members.map(({ serverId, toolName }) => ({ kind: "name-collision", serverId, toolName, message }));
  });
}
