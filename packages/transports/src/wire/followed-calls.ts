import type { Progress } from "@hostside/core";
import { isJsonObject, createLazyMap } from "@hostside/core/implement";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { FollowedCall } from "../message/request-channel.ts";
import type { ActiveClocks } from "../time/active-clock.ts";
import { runHook } from "../time/run-hook.ts";
import { createElicitationOrigin, type ElicitationOrigin, type ElicitingRequest } from "./elicitation-origin.ts";
import type { ProgressReport } from "./progress-report.ts";

/**
 * Calls that go on after their requests were answered: tasks of 2025-11-25. What their server sends
 * of one has its token or its name.
 */
export interface FollowedCalls {
  follow(request: OutgoingRequest, onStatus: () => void): FollowedCall;
  /** Whether one of them has this token. */
  has(token: unknown): boolean;
  /** Progress of one of them, to be passed on at once, or when `flushProgress` is called. */
  progress(token: unknown, report: ProgressReport): void;
  flushProgress(): void;
  /** Its server says something new of a task. */
  status(params: unknown): void;
  all(): readonly ElicitingRequest[];
  /** What a question is about that names a task. `undefined`: it names none of them. */
  origin(params: unknown): ElicitationOrigin | undefined;
}

interface Followed extends ElicitingRequest {
  readonly request: OutgoingRequest;
  readonly onStatus: () => void;
  lateProgress: Progress | undefined;
}

const relatedTask = "io.modelcontextprotocol/related-task";

/** Makes an empty set of them. */
export function createFollowedCalls(activeClock: ActiveClocks): FollowedCalls {
  return new CallsByToken(activeClock);
}

// A class, because each connection has one.
class CallsByToken implements FollowedCalls {
  readonly #activeClock: ActiveClocks;
  readonly #byToken = createLazyMap<string, Followed>();
  readonly #byTask = createLazyMap<string, Followed>();
  #last = 0;

  constructor(activeClock: ActiveClocks) {
    this.#activeClock = activeClock;
  }

  follow(request: OutgoingRequest, onStatus: () => void): FollowedCall {
    this.#last += 1;
    // No number: those are of requests.
    const progressToken = `task-${this.#last}`;
    const followed: Followed = { request, onStatus, lateProgress: undefined };
    const time = this.#activeClock.of(request.callContext);
    let name: string | undefined;
    time.enter();
    this.#byToken.set(progressToken, followed);
    return {
      progressToken,
      named: (taskId) => {
        // Of two tasks with one name nobody can say whose a question is: the first keeps it.
        if (this.#byTask.has(taskId) || !this.#byToken.has(progressToken)) return;
        name = taskId;
        this.#byTask.set(taskId, followed);
      },
      end: () => {
        if (!this.#byToken.delete(progressToken)) return;
        if (name !== undefined) this.#byTask.delete(name);
        time.leave();
        flush(followed);
        if (followed.whenOver !== undefined) for (const tell of Array.from(followed.whenOver)) tell();
      },
    };
  }

  has(token: unknown): boolean {
    return typeof token === "string" && this.#byToken.has(token);
  }

  progress(token: unknown, { read, isDue }: ProgressReport): void {
    const followed = typeof token === "string" ? this.#byToken.get(token) : undefined;
    if (followed?.request.onProgress === undefined) return;
    followed.lateProgress = read();
    if (isDue) flush(followed);
  }

  flushProgress(): void {
    for (const followed of this.#byToken.values()) flush(followed);
  }

  status(params: unknown): void {
    const taskId = isJsonObject(params) ? params["taskId"] : undefined;
    if (typeof taskId === "string") this.#byTask.get(taskId)?.onStatus();
  }

  all(): readonly ElicitingRequest[] {
    return Array.from(this.#byToken.values());
  }

  origin(params: unknown): ElicitationOrigin | undefined {
    const meta = isJsonObject(params) ? params["_meta"] : undefined;
    const related = isJsonObject(meta) ? meta[relatedTask] : undefined;
    const taskId = isJsonObject(related) ? related["taskId"] : undefined;
    const followed = typeof taskId === "string" ? this.#byTask.get(taskId) : undefined;
    return followed && createElicitationOrigin([followed]);
  }
}

function flush(followed: Followed): void {
  const { request, lateProgress } = followed;
  followed.lateProgress = undefined;
  if (lateProgress !== undefined && request.onProgress !== undefined) runHook(request.onProgress, lateProgress);
}
