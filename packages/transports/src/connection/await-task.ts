import type { JsonObject, JsonValue, ToolportError } from "@toolport/core";
import { isJsonObject, toAbortSignal, withErrorContext } from "@toolport/core/implement";
import { fromRpcError } from "../message/from-rpc-error.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { abortError, timeoutError } from "../message/request-errors.ts";
import { quoteJson } from "../text/quote-json.ts";
import { waitFor } from "../time/cancellable-wait.ts";
import type { QuestionTally } from "../wire/elicitor.ts";
import { answerInputRequests } from "./input-rounds.ts";
import { inputRequired, type RoundsInit } from "./request-in-rounds.ts";
import {
  askAboutTask,
  askMsOf,
  asUnknown,
  badTask,
  cancelledError,
  cancelTask,
  intervalOf,
  isOver,
  readTaskId,
  reportTask,
  type CallInTask,
} from "./task-steps.ts";

/** A call that its server goes on with by itself. */
export interface TaskCall extends CallInTask {
  readonly tally: QuestionTally;
  /** The result that says so: one of the type "task". */
  readonly created: JsonObject;
}

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
  const taskId = readTaskId(init, call, created);
  const signal = request.signal === undefined ? closing : AbortSignal.any([toAbortSignal(request.signal), closing]);
  const answered = new Set<string>();
  let state = created;
  reportTask(init, request, state);
  let isFirst = true;
  let pauseMs = 0;
  try {
    for (;;) {
      // What the first state says of results and questions is not to be used.
      const isMoving = isFirst && state["status"] !== "working";
      const waitMs = isMoving
        ? 0
        : Math.min(Math.max(intervalOf(state["pollIntervalMs"]), pauseMs), Math.max(1, time.leftMs()));
      if (waitMs > 0) await waitFor(waitMs, { clock, signal });
      closing.throwIfAborted();
      if (signal.aborted) throw abortError({ serverId }, request, "unknown");
      if (time.leftMs() <= 0) throw timeoutError({ serverId }, request);
      const asking = { method: "tasks/get", params: { taskId }, timeoutMs: askMsOf(init, call) };
      const got = await askAboutTask(init, call, asking);
      isFirst = false;
      pauseMs = got.pauseMs;
      if (got.result === undefined) continue;
      state = got.result;
      reportTask(init, request, state);
      const result = await readState(init, call, { taskId, state, answered, signal });
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (!isOver(state)) void cancelTask(init, request, taskId);
    throw asUnknown(error, call);
  }
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
  const { redact } = init.context;
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
      throw cancelledError(init, request);
    default:
      throw badTask(init, request, `with a task of the unknown status ${quoteJson(status, redact)}`);
  }
}

async function answerTask(init: RoundsInit, call: TaskCall, now: TaskState): Promise<undefined> {
  const { context, elicitor } = init;
  const { serverId } = context;
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
  await updateTask(init, call, { ...now, answers: answer.params });
  return undefined;
}

// Answers may be handed over twice: the server takes the first. What a human said once is not asked again.
async function updateTask(
  init: RoundsInit,
  call: TaskCall,
  { taskId, state, signal, answers }: TaskState & { readonly answers: JsonObject },
): Promise<void> {
  const { clock } = init.context;
  // When nobody needs them any more, what becomes of the call is told by the loop.
  while (!signal.aborted && call.time.leftMs() > 0) {
    const params = { taskId, ...answers };
    const got = await askAboutTask(init, call, { method: "tasks/update", params, timeoutMs: askMsOf(init, call) });
    if (got.result !== undefined) return;
    const waitMs = Math.max(intervalOf(state["pollIntervalMs"]), got.pauseMs);
    await waitFor(Math.min(waitMs, Math.max(1, call.time.leftMs())), { clock, signal });
  }
}

function failedError(init: RoundsInit, request: OutgoingRequest, error: JsonValue | undefined): ToolportError {
  const { serverId, redact } = init.context;
  const { code, message, data } = isJsonObject(error) ? error : {};
  if (typeof code !== "number") return badTask(init, request, "with a task that failed without an error");
  const { method, toolName } = request;
  const text = typeof message === "string" ? message : "";
  return fromRpcError({ code, message: text, data }, { serverId, method, toolName, redact });
}
