import { defaultTimeouts, type Clock, type HostsideError } from "@hostside/core";
import { settleWithin } from "@hostside/core/implement";
import { sessionCloseMs } from "../link/sessions.ts";
import type { Link } from "../link/link.ts";
import type { Registration } from "./registration.ts";

/** Why a registration ends, and how long its calls that are under way may take to finish. */
export interface RegistrationEnding {
  readonly error: HostsideError;
  /** In milliseconds. Default 0: they are cut. */
  readonly drainMs?: number | undefined;
  /**
   * Whether what had its id before keeps the time that it was given. Default `false`: it gets no
   * more than this one.
   */
  readonly sparesEarlier?: boolean | undefined;
}

/** Registrations that have ended, while something of their sessions is left. */
export interface DrainingRegistrations {
  /**
   * Settles when nothing is left that the next session under this id has to wait for; `undefined`
   * when nothing is. Never rejects.
   */
  ahead(id: string): Promise<void> | undefined;
  /**
   * Until when, by the clock, calls of registrations before this number may finish, as long as the
   * next session under the id waits for what is left of them; `undefined` when none does.
   */
  until(id: string, number: number): number | undefined;
  /**
   * Ends a registration: it takes nothing new from now on. Settles when nothing of it is left.
   * Never rejects.
   */
  end(registration: Registration, ending: RegistrationEnding): Promise<void>;
  /**
   * Settles when nothing is left of a registration that has ended, nor of those before it under its
   * id; `undefined` when nothing is. Never rejects.
   */
  of(registration: Registration): Promise<void> | undefined;
  /** Settles when nothing is left of the sessions that a registration has now. Never rejects. */
  left(registration: Registration): Promise<void>;
  /**
   * Lets nothing finish any more, under this id or any. Settles when nothing of them is left. Never
   * rejects.
   */
  cut(id?: string): Promise<void>;
}

interface DrainingRegistration {
  readonly registration: Registration;
  /** Settles when the next session under its id may start. */
  readonly vacated: Promise<void>;
  readonly gone: Promise<void>;
  readonly cut: () => void;
  /** When its calls are cut, or were done. */
  until: number;
  isVacated: boolean;
}

/**
 * Makes an empty list. Calls that are under way finish within the `drainMs` of their ending, and
 * are cut then; beyond that, nothing is waited for any longer than `timeouts.closeMs` of its server
 * allow.
 */
export function createDrainingRegistrations(clock: Clock): DrainingRegistrations {
  const leaving = new Set<DrainingRegistration>();
  const left = ({ link }: Registration, butDraining = false): Promise<void> => {
    const timeoutMs = sessionCloseMs(link.spec.timeouts?.closeMs ?? defaultTimeouts.closeMs);
    return settleWithin(link.gone(butDraining), timeoutMs, clock);
  };
  return {
    ahead(id) {
      const ahead = Array.from(leaving).filter(({ registration }) => registration.id === id);
      return ahead.length === 0 ? undefined : settled(ahead.map(({ vacated }) => vacated));
    },
    until(id, number) {
      const ahead = Array.from(leaving).filter(
        ({ registration, isVacated }) => !isVacated && registration.id === id && registration.number < number,
      );
      return ahead.length === 0 ? undefined : Math.max(...ahead.map(({ until }) => until));
    },
    of({ id, number }) {
      const upToIt = Array.from(leaving).filter(({ registration: other }) => other.id === id && other.number <= number);
      return upToIt.length === 0 ? undefined : settled(upToIt.map(({ gone }) => gone));
    },
    left: (registration) => left(registration),
    end(registration, { error, drainMs = 0, sparesEarlier = false }) {
      const { id, link, queue } = registration;
      for (const earlier of leaving) {
        if (!sparesEarlier && earlier.registration.id === id) cutWithin(drainMs, earlier, clock);
      }
      link.remove(error, drainMs > 0);
      queue.rejectWaiting(error);
      registration.onEnd?.();
      const drain = drainMs > 0 ? startDrain(link, drainMs, clock) : undefined;
      const leave = async (): Promise<void> => {
        if (drain !== undefined) {
          await drain.over;
          noteCut(leavingOne, 0, clock);
          link.cut(error);
        }
        await left(registration);
        leaving.delete(leavingOne);
      };
      const gone = leave();
      // A server behind a URL serves many sessions at once. A process may own a port, a file or a
      // profile that the next one wants.
      const mayOverlap = drainMs > 0 && link.spec.url !== undefined;
      const vacated = mayOverlap ? left(registration, true) : gone;
      const until = clock.now() + drainMs;
      const leavingOne: DrainingRegistration = {
        registration,
        vacated,
        gone,
        cut: () => drain?.end(),
        until,
        isVacated: false,
      };
      leaving.add(leavingOne);
      void vacated.then(() => (leavingOne.isVacated = true));
      return leavingOne.gone;
    },
    async cut(id) {
      const ending = Array.from(leaving).filter(({ registration }) => id === undefined || registration.id === id);
      for (const { cut } of ending) cut();
      await settled(ending.map(({ gone }) => gone));
    },
  };
}

function cutWithin(drainMs: number, leavingOne: DrainingRegistration, clock: Clock): void {
  const { cut, gone } = leavingOne;
  noteCut(leavingOne, drainMs, clock);
  if (drainMs === 0) return cut();
  const cancel = clock.schedule(drainMs, cut);
  void gone.finally(cancel);
}

function noteCut(leavingOne: DrainingRegistration, withinMs: number, clock: Clock): void {
  leavingOne.until = Math.min(leavingOne.until, clock.now() + withinMs);
}

/** The time that calls have to finish. */
interface Drain {
  /** Settles when they have, or when their time is up. */
  readonly over: Promise<void>;
  end(): void;
}

function startDrain(link: Link, drainMs: number, clock: Clock): Drain {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    const cancel = clock.schedule(drainMs, resolve);
    end = () => {
      cancel();
      resolve();
    };
  });
  void link.gone().then(end);
  return { over, end };
}

async function settled(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.all(promises);
}
