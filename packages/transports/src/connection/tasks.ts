import { isHostsideError, type HostsideError, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject, pause, withErrorContext } from "@hostside/core/implement";
import {
  type OutgoingRequest,
  requestAbortedError,
  requestError,
  requestTimeoutError,
  withCarriedMeta,
} from "../message/outgoing-request.ts";
import { fromRpcError } from "../message/from-rpc-error.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { eitherSignal } from "../time/cancellable-wait.ts";
import { answerInputRequests, inputRequired, type ConsentRequest, type RoundsInit } from "./request-in-rounds.ts";

interface Task extends RoundsInit, ConsentRequest {
  readonly taskId: string;
  /** Aborts when the call is given up, or its connection closed. */
  readonly signal: AbortSignal;
  /** The questions that were answered already: a server repeats them until it has taken note. */
  readonly answered: Set<string>;
  state: JsonObject;
}

const usualIntervalMs = 1000;
const shortestIntervalMs = 100;
const longestIntervalMs = 60_000;
const longestTaskId = 1024;
const endStates: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/**
 * Waits for the end of a task (the extension `io.modelcontextprotocol/tasks` of 2026-07-28) within
 * the time of its call, by asking for its state as often as the server suggests, and resolves with
 * the result that the call would have had. Questions of the task are answered on the way, once. A
 * call that is given up tells the server to cancel the task, unless its connection ends with it.
 * The server took the call in any case, so that every failure is `unknown`, and the call is never
 * sent again.
 * https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
export async function awaitTask(init: RoundsInit, asked: ConsentRequest, created: JsonObject): Promise<JsonObject> {
  const { request } = asked;
  const { taskId } = created;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > longestTaskId)
    throw badTask(init, request, "with a task that has no usable id");
  const { signal, release } = eitherSignal(request.signal, init.closing.signal);
  const task: Task = { ...init, ...asked, taskId, signal, answered: new Set(), state: created };
  try {
    return await poll(task);
  } catch (error) {
    // Only a courtesy: the call is over on this side.
    if (!endStates.has(task.state["status"])) ask(task, "tasks/cancel").catch(() => undefined);
    throw asUnknown(error, request.toolName);
  } finally {
    release();
  }
}

async function poll(task: Task): Promise<JsonObject> {
  // What the first state says of results and questions is not to be used.
  let waitMs = task.state["status"] === "working" ? intervalMs(task, 0) : 0;
  for (;;) {
    await wait(task, waitMs);
    const { result: next, pauseMs } = await askWhilePassing(task, "tasks/get", {});
    waitMs = intervalMs(task, pauseMs);
    if (next === undefined) continue;
    if ((next["taskId"] ?? task.taskId) !== task.taskId)
      throw badTask(task, task.request, "with the state of another task");
    task.state = next;
    if (next["status"] === "input_required") await answer(task);
    else if (next["status"] !== "working") return readEnd(task);
  }
}

/** Waits; throws what ends the call meanwhile. */
async function wait({ context, closing, request, time, signal }: Task, ms: number): Promise<void> {
  if (ms > 0) await pause(ms, signal);
  if (closing.signal.aborted) throw closing.signal.reason;
  if (signal.aborted) throw requestAbortedError(context, request, "unknown");
  if (time.leftMs() <= 0) throw requestTimeoutError(context, request);
}

/** How long to wait for the next look, by what the server suggests. */
function intervalMs({ state, time }: Task, pauseMs: number): number {
  const suggested = state["pollIntervalMs"];
  const interval =
    typeof suggested !== "number" || !Number.isFinite(suggested)
      ? usualIntervalMs
      : Math.min(longestIntervalMs, Math.max(shortestIntervalMs, suggested));
  return Math.min(Math.max(interval, pauseMs), Math.max(1, time.leftMs()));
}

/** The result of a task that has ended. */
function readEnd(task: Task): JsonObject {
  const { context, request, state } = task;
  const { status, result, error } = state;
  switch (status) {
    case "completed":
      if (isJsonObject(result)) return result;
      throw badTask(task, request, "with a task that is completed and has no result");
    case "failed":
      throw failure(task, error);
    case "cancelled":
      throw requestError(context, request, {
        what: "was cancelled by the server",
        code: "server_error",
        outcome: "unknown",
      });
    default:
      throw badTask(task, request, `with a task of the unknown status ${quoteJson(status, context.redact)}`);
  }
}

function failure(task: Task, error: JsonValue | undefined): HostsideError {
  const { serverId, redact } = task.context;
  const { method, toolName } = task.request;
  const { code, message, data } = isJsonObject(error) ? error : {};
  if (typeof code !== "number") return badTask(task, task.request, "with a task that failed without an error");
  const text = typeof message === "string" ? message : "";
  return fromRpcError({ code, message: text, data }, { serverId, method, toolName, redact });
}

async function answer(task: Task): Promise<void> {
  const { context, request, time, answered, state, signal } = task;
  const { inputRequests } = state;
  const open = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key));
  if (open.length === 0) return;
  const asked = { inputRequests: Object.fromEntries(open) };
  const { params, problem } = await answerInputRequests(asked, task);
  if (problem !== undefined) throw withErrorContext(inputRequired(context, request, problem), { outcome: "unknown" });
  for (const [key] of open) answered.add(key);
  // When nobody needs them any more, what becomes of the call is told by the loop. Answers may be
  // handed over twice: the server takes the first.
  while (!signal.aborted && time.leftMs() > 0) {
    const { result, pauseMs } = await askWhilePassing(task, "tasks/update", params);
    if (result !== undefined) return;
    await pause(intervalMs(task, pauseMs), signal);
  }
}

/**
 * Asks for something about the task. A failure that the task survives is none: without `result`, it
 * may be asked again after `pauseMs`.
 */
async function askWhilePassing(
  task: Task,
  method: string,
  more: JsonObject,
): Promise<{ readonly result?: JsonObject; readonly pauseMs: number }> {
  try {
    return { result: await ask(task, method, more), pauseMs: 0 };
  } catch (error) {
    if (!isHostsideError(error) || !isPassing(error, task.channel.isOpen === true)) throw error;
    return { pauseMs: error.details.retryAfterMs ?? 0 };
  }
}

/** Without `more`, the request is not one of the call's: it goes out though the call is over. */
function ask(task: Task, method: string, more?: JsonObject): Promise<JsonObject> {
  const { channel, context, request, time, taskId } = task;
  const { signal, callContext, observer } = request;
  const { requestMs } = context.settings.timeouts;
  return channel.request({
    method,
    params: withCarriedMeta({ taskId, ...more }, observer),
    timeoutMs: more === undefined ? requestMs : Math.max(1, Math.min(requestMs, time.leftMs())),
    timeoutCode: "request_timeout",
    signal: more && signal,
    callContext,
  });
}

// What broke was one exchange: the server still knows its task, and can be asked over the same
// connection.
function isPassing({ code, details: { httpStatus = 0 } }: HostsideError, isOpen: boolean): boolean {
  if (code === "http_error") return httpStatus >= 500 || httpStatus === 408;
  if (code === "connection_closed") return isOpen;
  return code === "request_timeout" || code === "rate_limited" || code === "unreachable";
}

/** That the server refused a question about the task says nothing about what the task did. */
function asUnknown(error: unknown, toolName: string | undefined): unknown {
  if (!isHostsideError(error) || error.details.operation === "tools/call") return error;
  return withErrorContext(error, { toolName, outcome: "unknown", retryable: false });
}

/** The server says of its task what cannot be. */
function badTask({ context }: RoundsInit, request: OutgoingRequest, what: string): HostsideError {
  return requestError(context, request, { what: `was answered ${what}`, code: "protocol_error", outcome: "unknown" });
}
