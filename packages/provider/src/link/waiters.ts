import type { HostsideError } from "@hostside/core";
import { onAbort } from "@hostside/core/implement";
import type { Demand } from "./link-state.ts";
import type { Session } from "./sessions.ts";

interface Waiter {
  readonly demand: Demand;
  /** The listing it waits for; `undefined` until the link has decided. */
  run?: number;
  resolve(session: Session): void;
  reject(reason: unknown): void;
}

/** Those who wait for a link, each under a ticket of its own. Nobody does at first. */
export class Waiters {
  readonly #waiters = new Map<number, Waiter>();
  #lastTicket = 0;

  /** Whether anybody waits for a run. */
  get waiting(): boolean {
    for (const { run } of this.#waiters.values()) if (run !== undefined) return true;
    return false;
  }

  /**
   * Takes a ticket. The promise rejects with the reason of `signal` when that aborts first; nobody
   * else is touched by it.
   */
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

  /**
   * Lets go who waits for this run or an earlier one; with an error, those who wanted a refresh get
   * that instead.
   */
  release({ run, error }: { readonly run: number; readonly error?: HostsideError }, session: Session): void {
    for (const ticket of this.#waitingFor(run)) {
      const waiter = this.#take(ticket);
      if (error !== undefined && waiter?.demand === "refresh") waiter.reject(error);
      else waiter?.resolve(session);
    }
  }

  /** Turns away all who wait for a run. */
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
