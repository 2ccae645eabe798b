import { isHostsideError, type ToolDefinition } from "@hostside/core";

/** Something that was asked of a provider and has to come to an end. */
export interface Operation {
  readonly label: string;
  readonly startedAt: number;
  /** How long it may take, in virtual milliseconds. */
  readonly withinMs: number;
  readonly serverId: string | undefined;
  /** For a call: the id in its arguments. */
  readonly callId: string | undefined;
  readonly abort: AbortController | undefined;
  /** The id of the server that it adds. */
  readonly adds: string | undefined;
  /** The id of the server that it removes. */
  readonly removes: string | undefined;
  /** The id of the server whose sessions it ends. */
  readonly interrupts: string | undefined;
  /**
   * The id of the server whose session it replaces, without harm to the calls that are under way.
   */
  readonly renews: string | undefined;
  /** The servers that it makes the whole set. */
  readonly applies: ReadonlySet<string> | undefined;
  /** How long it lets calls that are under way finish. */
  readonly drainMs: number;
  /** The id of the server that it signs out of. */
  readonly clears: string | undefined;
  /** For a call: what it was made for. */
  readonly selected: ToolDefinition | undefined;
  endedAt: number;
  /** Starts and ends of operations, counted. */
  readonly startedStep: number;
  endedStep: number;
  end: { readonly value: unknown } | { readonly error: unknown } | undefined;
}

/** Everything that a run asked of its provider. */
export interface TrackedOperations {
  readonly all: readonly Operation[];
  /** Those that have not come to an end. */
  readonly pending: ReadonlySet<Operation>;
  track(operation: Omit<Operation, "end" | "endedAt" | "startedStep" | "endedStep">, work: Promise<unknown>): Operation;
}

/** Makes an empty list. */
export function createTrackedOperations(now: () => number): TrackedOperations {
  const all: Operation[] = [];
  const pending = new Set<Operation>();
  let steps = 0;
  return {
    all,
    pending,
    track(init, work) {
      steps += 1;
      const operation: Operation = { ...init, startedStep: steps, endedAt: 0, endedStep: 0, end: undefined };
      all.push(operation);
      pending.add(operation);
      const settle = (end: NonNullable<Operation["end"]>): void => {
        steps += 1;
        operation.endedStep = steps;
        operation.endedAt = now();
        operation.end = end;
        pending.delete(operation);
      };
      void work.then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      );
      return operation;
    },
  };
}

/** Whether an operation ends a registration of this id. */
export function doesRemove({ removes, applies }: Operation, id: string): boolean {
  return removes === id || applies?.has(id) === false;
}

/** Whether an operation may end sessions of this id, and calls on them. */
export function mayInterrupt(operation: Operation, id: string): boolean {
  return operation.interrupts === id || operation.applies !== undefined;
}

/** Whether an operation makes a registration of this id, or keeps one that is being made. */
export function doesAdd({ adds, applies }: Operation, id: string): boolean {
  return adds === id || applies?.has(id) === true;
}

/** What an ended call says of its effect: it ran, it did not, or nobody knows. */
export function claimOf({ end }: Operation): "ran" | "not-sent" | "open" {
  if (end === undefined) return "open";
  if ("value" in end) return "ran";
  return isHostsideError(end.error) && end.error.outcome === "not-sent" ? "not-sent" : "open";
}
