import { isHostsideError, HostsideError, type JsonObject } from "@hostside/core";
import { tell, withErrorContext } from "@hostside/core/implement";
import { withCarriedMeta } from "../message/carried-meta.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { errorContextOf, describeRequest } from "../message/request-errors.ts";
import type { RoundsInit, TimeLeft } from "./request-in-rounds.ts";

/** A call that its server goes on with by itself, for what it has in common in both eras. */
export interface CallInTask {
  readonly request: OutgoingRequest;
  readonly time: TimeLeft;
}

/**
 * What could be had this time; without `result` nothing, and it is not to be asked for again within
 * `pauseMs`.
 */
export interface TaskPollResult {
  readonly result?: JsonObject;
  readonly pauseMs: number;
}

const usualIntervalMs = 1000;
const longestIntervalMs = 60_000;
const longestTaskId = 1024;

/**
 * In milliseconds; a server that suggests less, or says all the time that there is something new,
 * is asked no more often.
 */
export const shortestIntervalMs = 100;

/** How long to wait for the next look at a task, by what its server suggests. */
export function intervalOf(suggested: unknown): number {
  if (typeof suggested !== "number" || !Number.isFinite(suggested)) return usualIntervalMs;
  return Math.min(longestIntervalMs, Math.max(shortestIntervalMs, suggested));
}

/** The name of a task. Throws `protocol_error` for what is none. */
export function readTaskId(init: RoundsInit, { request }: CallInTask, { taskId }: JsonObject): string {
  if (typeof taskId === "string" && taskId !== "" && taskId.length <= longestTaskId) return taskId;
  throw badTask(init, request, "with a task that has no usable id");
}

/** Says what is known of the task to whoever watches the call. */
export function reportTask(
  { context }: RoundsInit,
  { observer }: OutgoingRequest,
  { status, statusMessage }: JsonObject,
): void {
  if (observer?.onTask === undefined) return;
  const message = typeof statusMessage === "string" ? context.redact(statusMessage) : undefined;
  tell(observer.onTask, { status: typeof status === "string" ? status : "", message });
}

/**
 * Asks for something about a task, within `timeoutMs`. What the task goes on after all the same is
 * no failure: it may be asked again.
 */
export async function askAboutTask(
  { channel }: RoundsInit,
  { request: { signal, callContext, observer } }: CallInTask,
  asking: Pick<OutgoingRequest, "method" | "params" | "timeoutMs">,
): Promise<TaskPollResult> {
  try {
    const params = withCarriedMeta(asking.params, observer);
    const result = await channel.request({ ...asking, params, timeoutCode: "request_timeout", signal, callContext });
    return { result, pauseMs: 0 };
  } catch (error) {
    if (isHostsideError(error) && isPassing(error, channel.isOpen === true)) {
      return { pauseMs: error.details.retryAfterMs ?? 0 };
    }
    throw error;
  }
}

/**
 * Asks for the state of a task, within the time of one question. Throws `protocol_error` for that
 * of another one.
 */
export async function askForTask(init: RoundsInit, call: CallInTask, taskId: string): Promise<TaskPollResult> {
  const params = { taskId };
  const got = await askAboutTask(init, call, { method: "tasks/get", params, timeoutMs: askMsOf(init, call) });
  const { taskId: named = taskId } = got.result ?? {};
  if (named === taskId) return got;
  throw badTask(init, call.request, "with the state of another task");
}

// What broke was one exchange: the server still knows its task, and can be asked over the same
// connection.
function isPassing({ code, details: { httpStatus = 0 } }: HostsideError, isOpen: boolean): boolean {
  if (code === "http_error") return httpStatus >= 500 || httpStatus === 408;
  if (code === "connection_closed") return isOpen;
  return code === "request_timeout" || code === "rate_limited" || code === "unreachable";
}

/** How long one question about a task may take. */
export function askMsOf({ context }: RoundsInit, { time }: CallInTask): number {
  return Math.max(1, Math.min(context.settings.timeouts.requestMs, time.leftMs()));
}

/**
 * Tells the server that nobody wants the task any more. Only a courtesy, which nobody waits for;
 * never rejects.
 */
export async function cancelTask(
  { channel, context }: RoundsInit,
  { callContext, observer }: OutgoingRequest,
  taskId: string,
): Promise<void> {
  const timeoutMs = context.settings.timeouts.requestMs;
  const params = withCarriedMeta({ taskId }, observer);
  try {
    await channel.request({ method: "tasks/cancel", params, timeoutMs, timeoutCode: "request_timeout", callContext });
  } catch {
    // The call is over on this side.
  }
}

/** Whether a task has ended. */
export function isOver({ status }: JsonObject): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The server ended the task by itself, with nothing to show. */
export function cancelledError({ context: { serverId } }: RoundsInit, request: OutgoingRequest): HostsideError {
  const message = `${describeRequest(serverId, request)} was cancelled by the server`;
  return new HostsideError(message, { code: "server_error", serverId, ...errorContextOf(request), outcome: "unknown" });
}

/**
 * That the server refused a question about the task says nothing about what the task did; only the
 * end of the task itself does.
 */
export function asUnknown(error: unknown, { request: { toolName } }: CallInTask): unknown {
  if (!isHostsideError(error) || error.details.operation === "tools/call") return error;
  return withErrorContext(error, { toolName, outcome: "unknown", retryable: false });
}

/** The server says of its task what cannot be. */
export function badTask({ context: { serverId } }: RoundsInit, request: OutgoingRequest, what: string): HostsideError {
  return new HostsideError(`${describeRequest(serverId, request)} was answered ${what}`, {
    code: "protocol_error",
    serverId,
    ...errorContextOf(request),
    outcome: "unknown",
  });
}
