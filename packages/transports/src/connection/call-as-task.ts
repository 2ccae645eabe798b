import { isHostsideError, type Cancel, type JsonObject, type HostsideError } from "@hostside/core";
import { isJsonObject, isPlainObject, onAbort, withErrorContext } from "@hostside/core/implement";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import type { FollowedCall } from "../message/request-channel.ts";
import { requestAbortedError, requestTimeoutError } from "../message/request-errors.ts";
import { quoteJson } from "../text/quote-json.ts";
import { waitFor } from "../time/cancellable-wait.ts";
import { eitherSignal } from "../time/either-signal.ts";
import type { RoundsInit } from "./request-in-rounds.ts";
import {
  askAboutTask,
  askForTask,
  asUnknown,
  badTask,
  cancelledError,
  cancelTask,
  intervalOf,
  isOver,
  readTaskId,
  reportTask,
  shortestIntervalMs,
  type CallInTask,
} from "./task-steps.ts";

// For the server to answer with the name of a task that is not wanted any more, which nothing else
// can be told of.
const lateMs = 5000;
// Beyond the time of its call, so that a result is still there when it is fetched.
const keptMs = 60_000;
const longestTtlMs = 86_400_000;

/**
 * Calls a tool as a task of 2025-11-25, for one that cannot be called otherwise: the server answers
 * with the name of a task, is asked for its state as often as it suggests and whenever it says that
 * there is something new, and for the result once there is one, or when it has a question, which
 * comes with that request. Progress goes on under the call's token. A call that is given up is
 * cancelled by the name of its task. An exchange that breaks is made again, as long as the session
 * lives: the call itself is sent once, and whatever goes wrong after it was taken is `unknown`.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
export async function callAsTask(init: RoundsInit, call: CallInTask): Promise<JsonObject> {
  const { request } = call;
  const news = createNews();
  const followed = init.channel.follow?.(request, news.tell);
  try {
    const created = await create(init, call, followed);
    const { task } = created;
    // A server may know better, and answer at once.
    if (!isJsonObject(task)) return created;
    const taskId = readTaskId(init, call, task);
    followed?.named(taskId);
    const end = await follow(init, call, { taskId, created: task, news });
    if (end.refusal !== undefined) throw end.refusal;
    return end.result;
  } finally {
    followed?.end();
  }
}

/** Something new of the task, which need not be waited for. */
interface News {
  readonly tell: () => void;
  /** Waits for it, or for so long. */
  readonly wait: (ms: number, options: Parameters<typeof waitFor>[1]) => Promise<void>;
}

function createNews(): News {
  let isNew = false;
  let wake: Cancel | undefined;
  return {
    tell() {
      isNew = true;
      wake?.();
    },
    async wait(ms, { clock, signal }) {
      await waitFor(Math.min(ms, shortestIntervalMs), { clock, signal });
      if (!isNew && ms > shortestIntervalMs) {
        const waking = new AbortController();
        wake = () => waking.abort();
        const ignore = onAbort(signal, wake);
        if (!signal.aborted) await waitFor(ms - shortestIntervalMs, { clock, signal: waking.signal });
        ignore();
        wake = undefined;
      }
      isNew = false;
    },
  };
}

/**
 * Sends the call. One that is given up before the task has a name goes on for a moment, so that the
 * task can be cancelled: `notifications/cancelled` is not for tasks.
 */
function create(init: RoundsInit, call: CallInTask, followed: FollowedCall | undefined): Promise<JsonObject> {
  const { channel, context } = init;
  const { request, time } = call;
  const { signal, params } = request;
  if (signal?.aborted === true) throw requestAbortedError(context, request, "not-sent");
  const leaving = new AbortController();
  const meta = isPlainObject(params["_meta"]) ? params["_meta"] : undefined;
  const ttl = Math.min(longestTtlMs, Math.ceil(time.askMs()) + keptMs);
  const sent = channel.request({
    ...request,
    params: {
      ...params,
      task: { ttl },
      ...(followed !== undefined && { _meta: { ...meta, progressToken: followed.progressToken } }),
    },
    signal: leaving.signal,
    // Progress comes under another token then, and goes on after the answer to this.
    ...(followed !== undefined && { onProgress: undefined, idleMs: undefined }),
  });
  if (signal === undefined) return sent;
  return new Promise((resolve, reject) => {
    const ignore = onAbort(signal, () => {
      const giveUp = context.clock.schedule(lateMs, () => leaving.abort());
      void sent.then((created) => cancelLate(init, request, created), ignoreFailure).finally(giveUp);
      reject(requestAbortedError(context, request, "unknown"));
    });
    void sent.then(resolve, reject).finally(ignore);
  });
}

function ignoreFailure(): void {
  // Nobody waits for it any more.
}

function cancelLate(init: RoundsInit, request: OutgoingRequest, { task }: JsonObject): void {
  const taskId = isJsonObject(task) ? task["taskId"] : undefined;
  if (typeof taskId === "string") void cancelTask(init, request, taskId);
}

interface Created {
  readonly taskId: string;
  readonly created: JsonObject;
  readonly news: News;
}

/** What its call would have been answered: a result, or the error of a task that failed. */
type TaskEnd =
  | { readonly result: JsonObject; readonly refusal?: undefined }
  | { readonly result?: undefined; readonly refusal: Error };

async function follow(init: RoundsInit, call: CallInTask, { taskId, created, news }: Created): Promise<TaskEnd> {
  const { context, closing } = init;
  const { serverId, clock } = context;
  const { request, time } = call;
  const { signal, release } = eitherSignal(request.signal, closing.signal);
  let state = created;
  try {
    for (;;) {
      reportTask(init, request, state);
      const { end, pauseMs: resultPauseMs } = await readState(init, call, { taskId, state });
      if (end !== undefined) return end;
      let pauseMs = resultPauseMs;
      let next: JsonObject | undefined;
      while (next === undefined) {
        const waitMs = Math.min(Math.max(intervalOf(state["pollInterval"]), pauseMs), Math.max(1, time.leftMs()));
        await news.wait(waitMs, { clock, signal });
        if (closing.signal.aborted) throw closing.signal.reason;
        if (signal.aborted) throw requestAbortedError({ serverId }, request, "unknown");
        if (time.leftMs() <= 0) throw requestTimeoutError({ serverId }, request);
        ({ result: next, pauseMs } = { result: undefined, ...(await askForTask(init, call, taskId)) });
      }
      state = next;
    }
  } catch (error) {
    if (!isOver(state)) void cancelTask(init, request, taskId);
    throw asUnknown(error, call);
  } finally {
    release();
  }
}

interface TaskState {
  readonly taskId: string;
  readonly state: JsonObject;
}

// No `end`: it goes on.
async function readState(
  init: RoundsInit,
  call: CallInTask,
  { taskId, state }: TaskState,
): Promise<{ readonly end?: TaskEnd; readonly pauseMs: number }> {
  const { status } = state;
  if (status === "working") return { pauseMs: 0 };
  if (status === "cancelled") throw cancelledError(init, call.request);
  if (!isOver(state) && status !== "input_required") {
    throw badTask(init, call.request, `with a task of the unknown status ${quoteJson(status, init.context.redact)}`);
  }
  try {
    // Waits for the end where there is a question, which comes over the stream of this.
    const timeoutMs = Math.max(1, call.time.leftMs());
    const { result, pauseMs } = await askAboutTask(init, call, {
      method: "tasks/result",
      params: { taskId },
      timeoutMs,
    });
    return { ...(result !== undefined && { end: { result } }), pauseMs };
  } catch (error) {
    if (status !== "failed" || !isRefusalOfCall(error)) throw error;
    const { toolName, method: operation } = call.request;
    return { end: { refusal: withErrorContext(error, { toolName, details: { operation } }) }, pauseMs: 0 };
  }
}

const invalidParams = -32_602;

// A task that failed with an error has that for its result. That there is no such task any more is
// none.
function isRefusalOfCall(error: unknown): error is HostsideError {
  return isHostsideError(error, "server_error") && error.details.rpcCode !== invalidParams;
}
