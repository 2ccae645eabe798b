import { dateOf, onAbort } from "@hostside/core/implement";
import { cancelled } from "../asking/ask-client.ts";
import { randomToken } from "../asking/random-token.ts";
import type { GatewaySettings } from "../gateway-options.ts";
import { rpcCodes } from "../message/json-rpc.ts";
import type { MessageSink } from "../message/message-sink.ts";
import { rpcError } from "../message/rpc-error.ts";
import type { ActiveRequest } from "../peer/active-request.ts";
import type { Task, TaskEnd } from "./task.ts";

/**
 * The tasks of one client: those that go on, and the results of others until their time is over.
 */
export interface KeptTasks {
  /**
   * Keeps one for so long, or `limits.taskTtlMs` where that is less. `undefined`: there is no room.
   */
  readonly create: (request: ActiveRequest, ttlMs?: number) => Task | undefined;
  /** Throws an `rpcError` for an id that no task of this client has. */
  find(taskId: unknown): Task;
  has(taskId: string): boolean;
  /** In the order of their creation. */
  list(): readonly Task[];
  /** Ends one, unless it has ended, or is not kept any more: its first end is its only one. */
  finish(task: Task, end: TaskEnd): void;
  /** Gives one up. `false`: it has ended. */
  cancel(task: Task): boolean;
  /** Its client has what came of it, if it has ended. */
  fetched(task: Task): void;
  /** Something of its state is another. */
  changed(task: Task): void;
  /**
   * Resolves when it has ended, its time is over, or this request is given up; what belongs to the
   * task may go over its stream until then.
   */
  ended(task: Task, request: ActiveRequest): Promise<void>;
  /** What a client with a session listens on. */
  readonly stream: () => MessageSink | undefined;
  readonly mostQuestions: number;
  readonly size: number;
  /** Those that go on. */
  readonly working: number;
  /** UTF-16 units of the results that are kept. */
  readonly bytes: number;
  /** From now on what ends is owed to its client until it was fetched. */
  drain(): void;
  /** Those that go on, and what is owed. */
  readonly owed: number;
  /** Gives up all of them. */
  close(): void;
}

/** What the tasks of all clients have in common. */
export interface TaskLot {
  used: number;
  /** Of all results that are kept. */
  bytes: number;
}

/** What {@linkcode KeptTasks} go by. */
export interface KeptTasksInit {
  readonly settings: Pick<GatewaySettings, "limits" | "clock">;
  readonly lot: TaskLot;
  /** Tasks of all clients of whoever's client this is; 0 where nobody is told apart. */
  readonly usedByOwner: () => number;
  /** UTF-16 units of the results that are kept for all of those. */
  readonly bytesByOwner: () => number;
  readonly stream: () => MessageSink | undefined;
  /** Somebody waits for a task now, over whose stream questions can go. */
  readonly onWay: () => void;
  /** A task has another state. */
  readonly onChanged: (task: Task) => void;
  /** None goes on any more, or one that was owed was fetched. */
  readonly onIdle: () => void;
}

interface State extends KeptTasksInit {
  readonly kept: Map<string, Task>;
  working: number;
  /** Of all results that are kept. */
  bytes: number;
  isDraining: boolean;
  readonly owed: Set<Task>;
}

/** Makes them. */
export function createKeptTasks(init: KeptTasksInit): KeptTasks {
  const { limits } = init.settings;
  const state: State = { ...init, kept: new Map(), working: 0, bytes: 0, isDraining: false, owed: new Set() };
  const { kept } = state;
  return {
    create: (request, ttlMs) => create(state, request, ttlMs),
    find(taskId) {
      const task = typeof taskId === "string" ? kept.get(taskId) : undefined;
      if (task !== undefined) return task;
      throw rpcError(rpcCodes.invalidParams, noSuchTask);
    },
    has: (taskId) => kept.has(taskId),
    list: () => Array.from(kept.values()),
    finish(task, how) {
      if (task.end === undefined && end(state, task, weigh(state, task, how))) announce(state, task);
    },
    cancel(task) {
      const { request } = task;
      if (!end(state, task, { kind: "cancelled" })) return false;
      task.isFetched = true;
      request?.stop.abort(new Error("cancelled by the client"));
      announce(state, task);
      return true;
    },
    fetched(task) {
      if (task.end === undefined) return;
      task.isFetched = true;
      if (state.owed.delete(task)) state.onIdle();
    },
    changed: (task) => changed(state, task),
    ended: (task, request) => ended(state, task, request),
    stream: init.stream,
    mostQuestions: limits.maxParkedPerSession,
    get size() {
      return kept.size;
    },
    get working() {
      return state.working;
    },
    get bytes() {
      return state.bytes;
    },
    drain: () => void (state.isDraining = true),
    get owed() {
      return state.working + state.owed.size;
    },
    close() {
      for (const task of Array.from(kept.values())) remove(state, task, "the client is gone");
    },
  };
}

const noSuchTask = "There is no such task: its time is over, it is not this client's, or the gateway was started anew";

function create(state: State, request: ActiveRequest, wantedMs?: number): Task | undefined {
  const { kept, lot } = state;
  const { limits, clock } = state.settings;
  const isFull = (): boolean =>
    kept.size >= limits.maxTasksPerSession ||
    state.usedByOwner() >= limits.maxTasksPerPrincipal ||
    lot.used >= limits.maxTasks ||
    // What has no place for its result is better not begun.
    lot.bytes >= limits.maxTaskBytes;
  if (!makeRoom(state, () => !isFull())) return undefined;
  const now = dateOf(clock);
  const task: Task = {
    id: randomToken(),
    request,
    createdAt: now,
    updatedAt: now,
    ttlMs: Math.min(Math.ceil(wantedMs ?? limits.taskTtlMs), limits.taskTtlMs),
    message: undefined,
    questions: new Map(),
    asked: 0,
    end: undefined,
    isFetched: false,
    bytes: 0,
    sinks: new Set(),
    waiting: new Set(),
    cancelTimer: () => {},
  };
  task.cancelTimer = clock.schedule(task.ttlMs, () => remove(state, task, "the time of the task is over"));
  kept.set(task.id, task);
  lot.used += 1;
  state.working += 1;
  return task;
}

/**
 * Lets go of what its client has had, the oldest first, until there is room. `false`: there is
 * none.
 */
function makeRoom(state: State, hasRoom: () => boolean): boolean {
  for (const task of Array.from(state.kept.values())) {
    if (hasRoom()) return true;
    if (task.end !== undefined && task.isFetched) remove(state, task, "it made room for another");
  }
  return hasRoom();
}

// The one place where a task ends; `false`: it has.
function end(state: State, task: Task, how: TaskEnd): boolean {
  if (task.end !== undefined) return false;
  task.end = how;
  // Progress that comes later is nobody's.
  if (task.request !== undefined) task.request.progressToken = undefined;
  task.request = undefined;
  state.working -= 1;
  if (state.isDraining && state.kept.has(task.id) && how.kind !== "cancelled") state.owed.add(task);
  for (const { settle } of Array.from(task.questions.values())) settle(cancelled);
  return true;
}

/** A result as it is kept: one that there is no room for is a failure. */
function weigh(state: State, task: Task, how: TaskEnd): TaskEnd {
  if (how.kind !== "completed") return how;
  const size = sizeOf(how.result);
  const { lot, settings } = state;
  const { maxTaskBytesPerSession, maxTaskBytesPerPrincipal, maxTaskBytes } = settings.limits;
  const hasRoom = (): boolean =>
    state.bytes + size <= maxTaskBytesPerSession &&
    state.bytesByOwner() + size <= maxTaskBytesPerPrincipal &&
    lot.bytes + size <= maxTaskBytes;
  // Nobody makes way for what has no room in any case.
  const isTooLarge = size > Math.min(maxTaskBytesPerSession, maxTaskBytesPerPrincipal, maxTaskBytes);
  if (isTooLarge || !makeRoom(state, hasRoom)) return tooLarge;
  task.bytes = size;
  state.bytes += size;
  lot.bytes += size;
  return how;
}

function changed({ settings, onChanged }: State, task: Task): void {
  task.updatedAt = dateOf(settings.clock);
  onChanged(task);
}

function announce(state: State, task: Task): void {
  changed(state, task);
  for (const wake of Array.from(task.waiting)) wake();
  if (state.working === 0) state.onIdle();
}

function remove(state: State, task: Task, reason: string): void {
  task.cancelTimer();
  if (!state.kept.delete(task.id)) return;
  state.lot.used -= 1;
  state.owed.delete(task);
  state.bytes -= task.bytes;
  state.lot.bytes -= task.bytes;
  const { request } = task;
  const isGivenUp = end(state, task, { kind: "cancelled" });
  for (const wake of Array.from(task.waiting)) wake();
  if (isGivenUp) request?.stop.abort(new Error(reason));
  if (state.working === 0) state.onIdle();
}

async function ended({ onWay }: State, task: Task, { sink, stop }: ActiveRequest): Promise<void> {
  if (task.end !== undefined || stop.signal.aborted) return;
  task.sinks.add(sink);
  await new Promise<void>((resolve) => {
    const ignore = onAbort(stop.signal, () => wake());
    const wake = (): void => {
      ignore();
      task.waiting.delete(wake);
      task.sinks.delete(sink);
      resolve();
    };
    task.waiting.add(wake);
    onWay();
  });
}

const tooLarge: TaskEnd = {
  kind: "failed",
  failure: {
    code: rpcCodes.refused,
    message: "The call ran, and its result is too large to be kept with the others",
    data: { code: "message_too_large", outcome: "unknown" },
  },
};

// In UTF-16 units. What is no JSON is never handed to a client, either.
function sizeOf(result: object): number {
  try {
    return JSON.stringify(result).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
