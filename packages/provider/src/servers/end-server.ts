import { defaultTimeouts, type HostsideError } from "@hostside/core";
import { clock, settleWithin } from "@hostside/core/implement";
import { sessionCloseMs } from "../link/sessions.ts";
import type { Registration } from "./registration.ts";

/** Why a registration ends, and how long its calls that are under way may take to finish. */
export interface RegistrationEnding {
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
export class DrainingServers {
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
