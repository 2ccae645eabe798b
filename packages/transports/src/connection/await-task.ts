import { isHostsideError, type JsonObject, type JsonValue, type LostCall, type HostsideError } from "@hostside/core";
import { isJsonObject, withErrorContext } from "@hostside/core/implement";
import { fromRpcError } from "../message/from-rpc-error.ts";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { requestAbortedError, requestTimeoutError } from "../message/request-errors.ts";
import { quoteJson } from "../text/quote-json.ts";
import { waitFor } from "../time/cancellable-wait.ts";
import { eitherSignal } from "../time/either-signal.ts";
import type { QuestionTally } from "../wire/elicitor.ts";
import { answerInputRequests } from "./input-rounds.ts";
import { inputRequired, type RoundsInit } from "./request-in-rounds.ts";
import {
  askAboutTask,
  askForTask,
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

/** What waiting goes by. */
export interface AwaitTaskInit extends RoundsInit {
  /** Whether a connection that was closed had been lost before. */
  readonly wasLost: boolean;
}

/** A call that its server goes on with by itself. */
export interface TaskCall extends CallInTask {
  readonly tally: QuestionTally;
  /**
   * The result that says so: one of the type "task"; or what was heard of it last, over a
   * connection that was lost.
   */
  readonly created: JsonObject;
  /** What an earlier connection has left of it. */
  readonly before?: HeardTask | undefined;
}

/** What was heard and said of a task so far. */
export interface HeardTask {
  /** The questions that were answered already: a server repeats them until it has taken note. */
  readonly answered: Set<string>;
  /** Answers that may not have arrived. */
  unsent: JsonObject | undefined;
}

/** A task whose connection was lost, which can be asked about over another one. */
export interface LostTask extends LostCall {
  readonly created: JsonObject;
  readonly tally: QuestionTally;
  readonly before: HeardTask;
}

const lostTasks = new WeakMap<object, LostTask>();

/** What is left of a call that failed so. `undefined`: it is over, or nobody wants it any more. */
export function findLostTask(reason: unknown): LostTask | undefined {
  return typeof reason === "object" && reason !== null ? lostTasks.get(reason) : undefined;
}

/**
 * Waits for the end of a task (the extension `io.modelcontextprotocol/tasks` of 2026-07-28) within
 * the time of its call, by asking for its state as often as the server suggests, and resolves with
 * the result that the call would have had. What the task asks of a human is answered on the way,
 * once. A call that is given up tells the server to cancel the task, unless its connection ends
 * with it. The server took the call in any case, so that whatever goes wrong on the way is
 * `unknown`, and never sent again.
 * https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
export async function awaitTask(init: AwaitTaskInit, call: TaskCall): Promise<JsonObject> {
  const { context, closing } = init;
  const { serverId, clock } = context;
  const { request, time, created } = call;
  const taskId = readTaskId(init, call, created);
  const { signal, release } = eitherSignal(request.signal, closing.signal);
  const heard: HeardTask = call.before ?? { answered: new Set(), unsent: undefined };
  let state = created;
  reportTask(init, request, state);
  let isFirst = true;
  // Of a server that was started anew and counts its tasks, the name may be another one's now.
  let isOurs = call.before === undefined;
  let pauseMs = 0;
  try {
    for (;;) {
      // What the first state says of results and questions is not to be used.
      const isMoving = isFirst && (state["status"] !== "working" || !isOurs);
      const waitMs = isMoving
        ? 0
        : Math.min(Math.max(intervalOf(state["pollIntervalMs"]), pauseMs), Math.max(1, time.leftMs()));
      if (waitMs > 0) await waitFor(waitMs, { clock, signal });
      if (closing.signal.aborted) throw closing.signal.reason;
      if (signal.aborted) throw requestAbortedError({ serverId }, request, "unknown");
      if (time.leftMs() <= 0) throw requestTimeoutError({ serverId }, request);
      const got = await askForTask(init, call, taskId);
      isFirst = false;
      pauseMs = got.pauseMs;
      if (got.result === undefined) continue;
      isOurs ||= isSameTask(state, got.result);
      if (!isOurs) throw badTask(init, request, "with another task under the name of its own");
      state = got.result;
      reportTask(init, request, state);
      // It may not have been heard before the connection was lost; and never goes to a task that is
      // another one.
      if (state["status"] !== "input_required") heard.unsent = undefined;
      else if (heard.unsent !== undefined) await updateTask(init, call, { taskId, state, heard, signal });
      const result = await readState(init, call, { taskId, state, heard, signal });
      if (result !== undefined) return result;
    }
  } catch (error) {
    if (isOurs && !isOver(state)) void cancelTask(init, request, taskId);
    const reason = asUnknown(error, call);
    // Nobody gave it up: what was lost is the connection.
    if (isLost(init) && request.signal?.aborted !== true && time.leftMs() > 0 && isHostsideError(reason)) {
      const { toolName = "" } = request;
      lostTasks.set(reason, { toolName, created: { ...state, taskId }, tally: call.tally, before: heard });
    }
    throw reason;
  } finally {
    release();
  }
}

// The time of its creation is part of what every server says of a task.
function isSameTask({ createdAt: before }: JsonObject, { createdAt: now }: JsonObject): boolean {
  return typeof before !== "string" || typeof now !== "string" || before === now;
}

function isLost({ channel, closing, wasLost }: AwaitTaskInit): boolean {
  return closing.signal.aborted ? wasLost : channel.isOpen === false;
}

interface TaskState {
  readonly taskId: string;
  readonly state: JsonObject;
  readonly heard: HeardTask;
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
    ([key]) => !now.heard.answered.has(key),
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
  // Nobody answered: the question was withdrawn, and is asked again if the call goes on over
  // another connection.
  if (signal.aborted) return undefined;
  for (const [key] of open) now.heard.answered.add(key);
  now.heard.unsent = answer.params;
  await updateTask(init, call, now);
  return undefined;
}

// Answers may be handed over twice: the server takes the first. What a human said once is not asked
// again.
async function updateTask(
  init: RoundsInit,
  call: TaskCall,
  { taskId, state, signal, heard }: TaskState,
): Promise<void> {
  const { clock } = init.context;
  // When nobody needs them any more, what becomes of the call is told by the loop.
  while (!signal.aborted && call.time.leftMs() > 0) {
    const params = { taskId, ...heard.unsent };
    const got = await askAboutTask(init, call, { method: "tasks/update", params, timeoutMs: askMsOf(init, call) });
    if (got.result !== undefined) {
      heard.unsent = undefined;
      return;
    }
    const waitMs = Math.max(intervalOf(state["pollIntervalMs"]), got.pauseMs);
    await waitFor(Math.min(waitMs, Math.max(1, call.time.leftMs())), { clock, signal });
  }
}

function failedError(init: RoundsInit, request: OutgoingRequest, error: JsonValue | undefined): HostsideError {
  const { serverId, redact } = init.context;
  const { code, message, data } = isJsonObject(error) ? error : {};
  if (typeof code !== "number") return badTask(init, request, "with a task that failed without an error");
  const { method, toolName } = request;
  const text = typeof message === "string" ? message : "";
  return fromRpcError({ code, message: text, data }, { serverId, method, toolName, redact });
}
