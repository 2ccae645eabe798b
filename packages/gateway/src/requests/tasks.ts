import { isJsonObject } from "@hostside/core/implement";
import { readElicitationResult } from "../asking/ask-client.ts";
import { rpcCodes } from "../message/json-rpc.ts";
import { rpcError } from "../message/rpc-error.ts";
import type { ActiveRequest } from "../peer/active-request.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { answerQuestions } from "../tasks/ask-in-task.ts";
import type { KeptTasks } from "../tasks/kept-tasks.ts";
import { declaresTasks, tasksExtension, toDetailedTask, toWireTask, withRelation } from "../tasks/wire-task.ts";
import { paginate } from "./pages.ts";

/** `tasks/get`. */
export const getTask: PeerRequestHandler = (context, request) => {
  const tasks = tasksFor(context, request);
  const task = tasks.find(request.params["taskId"]);
  if (context.client.era === "legacy") return toWireTask(task, "legacy");
  const detailed = toDetailedTask(task);
  tasks.fetched(task);
  return detailed;
};

/** `tasks/list`, of 2025-11-25: those of this client. */
export const listTasks: PeerRequestHandler = (context, request) => {
  const all = tasksFor(context, request)
    .list()
    .map((task) => toWireTask(task, "legacy"));
  const size = context.settings.limits.pageSize;
  const { entries: tasks, ...rest } = paginate(all, request.params, { size, keyOf: ({ taskId }) => taskId });
  return { tasks, ...rest };
};

/**
 * `tasks/result`, of 2025-11-25: waits for the end, and answers what the call would have been
 * answered.
 */
export const taskResult: PeerRequestHandler = async (context, request) => {
  const tasks = tasksFor(context, request);
  const task = tasks.find(request.params["taskId"]);
  await tasks.ended(task, request);
  // Nobody waits for an answer any more.
  if (request.stop.signal.aborted) return {};
  const { end } = tasks.find(task.id);
  tasks.fetched(task);
  switch (end?.kind) {
    case "completed":
      return withRelation(task, end.result);
    case "failed":
      throw rpcError(end.failure.code, end.failure.message, end.failure.data);
    default:
      throw rpcError(rpcCodes.refused, "The task was cancelled", { code: "aborted" });
  }
};

/** `tasks/update`, of 2026-07-28: what the client's user answered. */
export const updateTask: PeerRequestHandler = (context, request) => {
  const { taskId, inputResponses } = request.params;
  const task = tasksFor(context, request).find(taskId);
  if (!isJsonObject(inputResponses)) throw rpcError(rpcCodes.invalidParams, "inputResponses must be an object");
  answerQuestions(task, (key) =>
    Object.hasOwn(inputResponses, key) ? readElicitationResult(inputResponses[key]) : undefined,
  );
  return {};
};

/** `tasks/cancel`. In 2026-07-28 one that has ended is none to complain about. */
export const handleCancelTask: PeerRequestHandler = (context, request) => {
  const tasks = tasksFor(context, request);
  const task = tasks.find(request.params["taskId"]);
  const isCancelled = tasks.cancel(task);
  if (context.client.era === "modern") return {};
  if (!isCancelled) throw rpcError(rpcCodes.invalidParams, "The task has ended already");
  return toWireTask(task, "legacy");
};

function tasksFor({ tasks, client }: PeerContext, { method, capabilities }: ActiveRequest): KeptTasks {
  if (tasks === undefined) throw rpcError(rpcCodes.methodNotFound, `Method not found: ${method}`);
  if (client.era === "modern" && !declaresTasks(capabilities)) throw missingTasks();
  return tasks;
}

/**
 * What a client of 2026-07-28 is answered that does not say that it can have tasks, and asks for
 * one.
 */
export function missingTasks(): Error {
  const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
  return rpcError(rpcCodes.missingCapability, "Missing required client capability", data);
}
