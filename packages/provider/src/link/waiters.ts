import { createLazyMap, onAbort } from "@hostside/core/implement";
import type { HostsideError } from "@hostside/core";
import type { Demand } from "./link-event.ts";
import type { Session } from "./sessions.ts";

/** Those who wait for a link, each under a ticket of its own. */
export interface Waiters {
  /** Whether anybody waits for a run. */
  readonly waiting: boolean;
  /**
   * Takes a ticket. The promise rejects with the reason of `signal` when that aborts first; nobody
   * else is touched by it.
   */
  add(demand: Demand, signal: AbortSignal | undefined): { readonly ticket: number; readonly session: Promise<Session> };
  wait(tickets: readonly number[], run: number): void;
  go(tickets: readonly number[], session: Session): void;
  refuse(tickets: readonly number[], error: HostsideError): void;
  /**
   * Lets go who waits for this run or an earlier one; with an error, those who wanted a refresh get
   * that instead.
   */
  release(done: { readonly run: number; readonly error?: HostsideError }, session: Session): void;
  /** Turns away all who wait for a run. */
  reject(error: HostsideError): void;
}

interface Waiter {
  readonly demand: Demand;
  /** The listing it waits for; `undefined` until the link has decided. */
  run?: number;
  resolve(session: Session): void;
  reject(reason: unknown): void;
}

/** Makes an empty list of waiters. */
export function createWaiters(): Waiters {
  return new WaitersByTicket();
}

// A class, because each link has one.
class WaitersByTicket implements Waiters {
  readonly #waiters = createLazyMap<number, Waiter>();
  #lastTicket = 0;

  get waiting(): boolean {
    for (const { run } of this.#waiters.values()) if (run !== undefined) return true;
    return false;
  }

  add(
    demand: Demand,
    signal: AbortSignal | undefined,
  ): { readonly ticket: number; readonly session: Promise<Session> } {
    this.#lastTicket += 1;
    const ticket = this.#lastTicket;
    const session = new Promise<Session>((resolve, reject) => {
      const leave = (): void => {
        this.#take(ticket);
        reject(signal?.reason);
      };
      const settled = signal && onAbort(signal, leave);
      this.#waiters.set(ticket, {
        demand,
        resolve(value) {
          settled?.();
          resolve(value);
        },
        reject(reason) {
          settled?.();
          reject(reason);
        },
      });
    });
    return { ticket, session };
  }

  wait(tickets: readonly number[], run: number): void {
    for (const ticket of tickets) {
      const waiter = this.#waiters.get(ticket);
      if (waiter) waiter.run = run;
    }
  }

  go(tickets: readonly number[], session: Session): void {
    for (const ticket of tickets) this.#take(ticket)?.resolve(session);
  }

  refuse(tickets: readonly number[], error: HostsideError): void {
    for (const ticket of tickets) this.#take(ticket)?.reject(error);
  }

  release({ run, error }: { readonly run: number; readonly error?: HostsideError }, session: Session): void {
    for (const ticket of this.#waitingFor(run)) {
      const waiter = this.#take(ticket);
      if (error !== undefined && waiter?.demand === "refresh") waiter.reject(error);
      else waiter?.resolve(session);
    }
  }

  reject(error: HostsideError): void {
    for (const ticket of this.#waitingFor(Number.POSITIVE_INFINITY)) this.#take(ticket)?.reject(error);
  }

  #take(ticket: number): Waiter | undefined {
    const waiter = this.#waiters.get(ticket);
    this.#waiters.delete(ticket);
    return waiter;
  }

  #waitingFor(run: number): readonly number[] {
    return Array.from(this.#waiters.entries())
      .filter(([, waiter]) => waiter.run !== undefined && waiter.run <= run)
      .map(([ticket]) => ticket);
  }
}
