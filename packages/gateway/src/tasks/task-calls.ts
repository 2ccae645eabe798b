import type { CallTask, JsonObject, ProtocolEra } from "@hostside/core";
import { cleanText } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { rpcCodes } from "../message/json-rpc.ts";
import { rpcError } from "../message/rpc-error.ts";
import type { ActiveRequest } from "../peer/active-request.ts";
import { askByList, askInSession, sinksOf, type AskOver } from "./ask-in-task.ts";
import type { KeptTasks } from "./kept-tasks.ts";
import type { Task, TaskEnd } from "./task.ts";
import { declaresTasks, toWireTask } from "./wire-task.ts";

/** What is done for a call. */
export type CallWork = (request: ActiveRequest) => Promise<JsonObject>;

/** Of whose calls tasks can be made. */
export interface TaskCallsInit {
  readonly era: ProtocolEra;
  readonly tasks: KeptTasks;
  /** Asks the user of a client with a session. */
  readonly askOver: AskOver;
  /** What becomes of an error. */
  readonly toFailure: (error: unknown) => (TaskEnd & { readonly kind: "failed" })["failure"];
}

const longestMessage = 1024;

/** Answers a call by `work`, or with a task of the gateway's own, which goes on by itself. */
export function answerToolCall(init: TaskCallsInit, request: ActiveRequest, work: CallWork): Promise<JsonObject> {
  return init.era === "legacy" ? callInSession(init, request, work) : callWithoutSession(init, request, work);
}

/**
 * In 2025-11-25 a client says that it wants a task. Throws an `rpcError` for what cannot be read,
 * and where there is no room.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
async function callInSession(init: TaskCallsInit, request: ActiveRequest, work: CallWork): Promise<JsonObject> {
  const { task: asked } = request.params;
  if (asked === undefined) return work(request);
  const { tasks, askOver } = init;
  const task = tasks.create(request, readTtl(asked));
  if (task === undefined)
    throw rpcError(
      rpcCodes.refused,
      "No room for one more task: fetch the results of those that have ended, or wait until their time is over",
      { code: "overloaded" },
    );
  // The stream of its own request ends with the answer to it.
  request.sink = {
    send: (message, weight) => sinksOf(tasks, task).some((sink) => sink.send(message, weight)),
  };
  request.ask = askInSession(tasks, task, askOver);
  request.onTask = (state) => note(init, task, state);
  request.onStep = (message) => {
    if (task.end === undefined) task.message = cleanText(message, longestMessage);
  };
  void follow(init, task, work(request));
  return { task: toWireTask(task, "legacy") };
}

function readTtl(asked: JsonObject[string]): number | undefined {
  const ttl = isJsonObject(asked) ? asked["ttl"] : null;
  // No time, and no end of it: the answer says how long it is here.
  if (isJsonObject(asked) && (ttl === undefined || ttl === null || ttl === 0)) return undefined;
  if (typeof ttl === "number" && ttl >= 0 && Number.isFinite(ttl)) return Math.max(1, ttl);
  throw rpcError(rpcCodes.invalidParams, "task must be an object, and its ttl a number of milliseconds");
}

/**
 * In 2026-07-28 a call becomes a task as soon as its server makes one of it, if the client can have
 * one. Where there is no room for one more it goes on as a call.
 * https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
async function callWithoutSession(init: TaskCallsInit, request: ActiveRequest, work: CallWork): Promise<JsonObject> {
  if (!declaresTasks(request.capabilities)) return work(request);
  const { tasks } = init;
  let task: Task | undefined;
  let isOver = false;
  let answer: (created: JsonObject) => void = () => {};
  const created = new Promise<JsonObject>((resolve) => {
    answer = resolve;
  });
  request.onTask = (state) => {
    if (task !== undefined) return note(init, task, state);
    // What its client can do it says with each of its messages, and with the latest of them.
    if (isOver || request.stop.signal.aborted || !declaresTasks(request.capabilities)) return;
    task = tasks.create(request);
    if (task === undefined) return;
    // What comes from now on is asked for by `tasks/get`: progress and log lines are not for tasks
    // of this revision.
    request.sink = nowhere;
    request.ask = askByList(tasks, task);
    answer({ resultType: "task", ...toWireTask(task, "modern") });
    note(init, task, state);
  };
  const working = work(request);
  try {
    return await Promise.race([created, working]);
  } finally {
    isOver = true;
    if (task !== undefined) void follow(init, task, working);
  }
}

const nowhere = { send: () => false };

function note({ tasks }: TaskCallsInit, task: Task, { message }: CallTask): void {
  const said = message === undefined ? undefined : cleanText(message, longestMessage);
  if (task.end !== undefined || said === task.message) return;
  task.message = said;
  tasks.changed(task);
}

async function follow({ tasks, toFailure }: TaskCallsInit, task: Task, working: Promise<JsonObject>): Promise<void> {
  try {
    tasks.finish(task, { kind: "completed", result: await working });
  } catch (error) {
    tasks.finish(task, { kind: "failed", failure: toFailure(error) });
  }
}
