import type { Diagnostic } from "@hostside/core";
import type { ProviderParts } from "../provider-parts.ts";
import { createPublisher, type Publisher } from "./publish-listings.ts";
import type { Registration } from "./registration.ts";
import { readStatus, type ServerStatus } from "./server-status.ts";
import type { EventSource } from "@hostside/core/implement";

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
export function createShowing(all: () => readonly Registration[], parts: ProviderParts): Showing {
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
