import { isToolportError, ToolportError, type JsonObject, type JsonValue } from "@toolport/core";
import { isJsonObject, tell, toAbortSignal, withErrorContext } from "@toolport/core/implement";
import { fromRpcError } from "../message/from-rpc-error.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { abortError, contextOf, nameOf, timeoutError } from "../message/request-errors.ts";
import { quoteJson } from "../text/quote-json.ts";
import { waitFor } from "../time/cancellable-wait.ts";
import type { QuestionTally } from "../wire/elicitor.ts";
import { answerInputRequests } from "./input-rounds.ts";
import { inputRequired, type RoundsInit, type TimeLeft } from "./request-in-rounds.ts";

/** A call that its server goes on with by itself. */
export interface TaskCall {
  readonly request: OutgoingRequest;
  readonly time: TimeLeft;
  readonly tally: QuestionTally;
  /** The result that says so: one of the type "task". */
  readonly created: JsonObject;
}

const usualIntervalMs = 1000;
const shortestIntervalMs = 100;
const longestIntervalMs = 60_000;
const longestTaskId = 1024;

/**
 * Waits for the end of a task (the extension `io.modelcontextprotocol/tasks` of 2026-07-28) within the time of its call, by asking for its
 * state as often as the server suggests, and resolves with the result that the call would have had. What the task asks of a human is answered on the way, once.
 * A call that is given up tells the server to cancel the task, unless its connection ends with it. The server took the call in any case, so that whatever goes wrong on the way is
 * `unknown`, and never sent again.
 * https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
export async function awaitTask(init: RoundsInit, call: TaskCall): Promise<JsonObject> {
  const { context, closing } = init;
  const { serverId, clock } = context;
  const { request, time, created } = call;
  const taskId = readTaskId(init, call);
  const signal = request.signal === undefined ? closing : AbortSignal.any([toAbortSignal(request.signal), closing]);
  const answered = new Set<string>();
  let state = created;
  report(init, request, state);
  let isFirst = true;
  let pauseMs = 0;
  try {
    for (;;) {
      // What the first state says of results and questions is not to be used.
      const isMoving = isFirst && state["status"] !== "working";
      const waitMs = isMoving ? 0 : Math.min(Math.max(intervalOf(state), pauseMs), Math.max(1, time.leftMs()));
      if (waitMs > 0) await waitFor(waitMs, { clock, signal });
      closing.throwIfAborted();
      if (signal.aborted) throw abortError({ serverId }, request, "unknown");
      if (time.leftMs() <= 0) throw timeoutError({ serverId }, request);
      const got = await getTask(init, call, taskId);
      isFirst = false;
      pauseMs = got.pauseMs;
      if (got.state === undefined) continue;
      ({ state } = got);
      report(init, request, state);
      const result = await readState(init, call, { taskId, state, answered, signal });
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (!isOver(state)) void cancelTask(init, request, taskId);
    throw asUnknown(error, call);
  }
}

function report({ context }: RoundsInit, { observer }: OutgoingRequest, { status, statusMessage }: JsonObject): void {
  if (observer?.onTask === undefined) return;
  const message = typeof statusMessage === "string" ? context.redact(statusMessage) : undefined;
  tell(observer.onTask, { status: typeof status === "string" ? status : "", message });
}

function readTaskId(init: RoundsInit, { request, created }: TaskCall): string {
  const { taskId } = created;
  if (typeof taskId === "string" && taskId !== "" && taskId.length <= longestTaskId) return taskId;
  throw badTask(init, request, "with a task that has no usable id");
}

function intervalOf({ pollIntervalMs }: JsonObject): number {
  if (typeof pollIntervalMs !== "number" || !Number.isFinite(pollIntervalMs)) return usualIntervalMs;
  return Math.min(longestIntervalMs, Math.max(shortestIntervalMs, pollIntervalMs));
}

// No state: it could not be had this time, and is not to be asked for again within `pauseMs`.
async function getTask(
  { channel, context }: RoundsInit,
  { request, time }: TaskCall,
  taskId: string,
): Promise<{ readonly state?: JsonObject; readonly pauseMs: number }> {
  const timeoutMs = Math.max(1, Math.min(context.settings.timeouts.requestMs, time.leftMs()));
  const { signal, callContext } = request;
  try {
    const state = await channel.request({
      method: "tasks/get",
      params: { taskId },
      timeoutMs,
      timeoutCode: "request_timeout",
      signal,
      callContext,
    });
    return { state, pauseMs: 0 };
  } catch (error) {
    if (isToolportError(error) && isPassing(error)) return { pauseMs: error.details.retryAfterMs ?? 0 };
    throw error;
  }
}

// The task goes on meanwhile, and the server may be asked again.
function isPassing({ code, details: { httpStatus = 0 } }: ToolportError): boolean {
  if (code === "http_error") return httpStatus >= 500 || httpStatus === 408;
  return code === "request_timeout" || code === "rate_limited" || code === "unreachable";
}

interface TaskState {
  readonly taskId: string;
  readonly state: JsonObject;
  /** The questions that were answered already: a server repeats them until it has taken note. */
  readonly answered: Set<string>;
  readonly signal: AbortSignal;
}

// `undefined`: it goes on.
async function readState(init: RoundsInit, call: TaskCall, now: TaskState): Promise<JsonObject | undefined> {
  const { serverId, redact } = init.context;
  const { request } = call;
  const { status, result, error } = now.state;
  switch (status) {
    case "working":
      return undefined;
    case "input_required":
      return answerTask(init, call, now);
    case "completed":
      if (isJsonObject(result)) return result;
      throw badTask(init, request, "with a task that is completed and has no result");
    case "failed":
      throw failedError(init, request, error);
    case "cancelled":
      throw new ToolportError(`${nameOf(serverId, request)} was cancelled by the server`, {
        code: "server_error",
        serverId,
        ...contextOf(request),
        outcome: "unknown",
      });
    default:
      throw badTask(init, request, `with a task of the unknown status ${quoteJson(status, redact)}`);
  }
}

async function answerTask(init: RoundsInit, call: TaskCall, now: TaskState): Promise<undefined> {
  const { channel, context, elicitor } = init;
  const { serverId, settings } = context;
  const { request, time, tally } = call;
  const { inputRequests } = now.state;
  const open = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(
    ([key]) => !now.answered.has(key),
  );
  if (open.length === 0) return undefined;
  const { signal } = now;
  const asked = { inputRequests: Object.fromEntries(open) };
  const { callContext } = request;
  const answer = await answerInputRequests(asked, {
    context,
    elicitor,
    signal,
    tally,
    callContext,
    leftMs: time.askMs,
  });
  if (answer.problem !== undefined)
    throw withErrorContext(inputRequired(serverId, request, answer.problem), { outcome: "unknown" });
  for (const [key] of open) now.answered.add(key);
  // Nobody needs the answers any more; what becomes of the call is told by the loop.
  if (signal.aborted) return undefined;
  await channel.request({
    method: "tasks/update",
    params: { taskId: now.taskId, ...answer.params },
    timeoutMs: Math.max(1, Math.min(settings.timeouts.requestMs, time.leftMs())),
    timeoutCode: "request_timeout",
    signal: request.signal,
    callContext,
  });
  return undefined;
}

// Only a courtesy, which nobody waits for.
async function cancelTask(
  { channel, context }: RoundsInit,
  { callContext }: OutgoingRequest,
  taskId: string,
): Promise<void> {
  const timeoutMs = context.settings.timeouts.requestMs;
  const params = { taskId };
  try {
    await channel.request({
      method: "tasks/cancel",
      params,
      timeoutMs,
      timeoutCode: "request_timeout",
      callContext,
    });
  } catch {
    // The call is over on this side.
  }
}

function isOver({ status }: JsonObject): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function failedError(init: RoundsInit, request: OutgoingRequest, error: JsonValue | undefined): ToolportError {
  const { serverId, redact } = init.context;
  const { code, message, data } = isJsonObject(error) ? error : {};
  if (typeof code !== "number") return badTask(init, request, "with a task that failed without an error");
  const { method, toolName } = request;
  const text = typeof message === "string" ? message : "";
  return fromRpcError({ code, message: text, data }, { serverId, method, toolName, redact });
}

// That the server refused a question about the task says nothing about what the task did; only the end of the task itself does.
function asUnknown(error: unknown, { request: { toolName } }: TaskCall): unknown {
  if (!isToolportError(error) || error.details.operation === "tools/call") return error;
  return withErrorContext(error, { toolName, outcome: "unknown", retryable: false });
}

function badTask({ context: { serverId } }: RoundsInit, request: OutgoingRequest, what: string): ToolportError {
  return new ToolportError(`${nameOf(serverId, request)} was answered ${what}`, {
    code: "protocol_error",
    serverId,
    ...contextOf(request),
    outcome: "unknown",
  });
}
