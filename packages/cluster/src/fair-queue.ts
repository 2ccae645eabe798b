/**
 * Those who wait, in turns among principals: whoever asks for much waits behind the first request
 * of each other one.
 */
export interface FairQueue<Waiter> {
  readonly size: number;
  add(waiter: Waiter, principal: string | undefined): void;
  /** Also has the turn of its principal pass, when it `wasServed`. */
  remove(waiter: Waiter, principal: string | undefined, wasServed: boolean): void;
  has(waiter: Waiter): boolean;
  /** All of them, as they stand now. */
  order(): readonly Waiter[];
}

/** With nobody in it. */
export function createFairQueue<Waiter>(): FairQueue<Waiter> {
  // In the order of the turns of principals; each has its own in the order in which they came.
  const queues = new Map<string | undefined, Set<Waiter>>();
  const all = new Set<Waiter>();
  return {
    get size() {
      return all.size;
    },
    add(waiter, principal) {
      all.add(waiter);
      const queue = queues.get(principal) ?? new Set();
      queues.set(principal, queue.add(waiter));
    },
    remove(waiter, principal, wasServed) {
      all.delete(waiter);
      const queue = queues.get(principal);
      queue?.delete(waiter);
      if (queue === undefined || (queue.size > 0 && !wasServed)) return;
      queues.delete(principal);
      if (queue.size > 0) queues.set(principal, queue);
    },
    has: (waiter) => all.has(waiter),
    order() {
      const lines = Array.from(queues.values(), (queue) => Array.from(queue));
      const longest = lines.reduce((most, { length }) => Math.max(most, length), 0);
      const rounds = Array.from({ length: longest }, (_, at) => at);
      return rounds.flatMap((at) => lines.flatMap((line) => line.slice(at, at + 1)));
    },
  };
}
