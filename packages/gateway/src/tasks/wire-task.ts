import type { JsonObject, ProtocolEra } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { questionParams } from "../asking/ask-client.ts";
import { metaKeys, metaOf } from "../message/meta.ts";
import type { Task } from "./task.ts";

/** The name of the extension of 2026-07-28. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

// A client that asks more often learns nothing sooner: a server's task is looked at as often as its
// server suggests.
const pollIntervalMs = 1000;

/** Whether a client of 2026-07-28 says with a request that it can have tasks. */
export function declaresTasks(capabilities: JsonObject): boolean {
  const { extensions } = capabilities;
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension]);
}

/** A task as an answer that says no more than that there is one. */
export function toWireTask(task: Task, era: ProtocolEra): JsonObject {
  const { id, createdAt, updatedAt, ttlMs, message } = task;
  const isLegacy = era === "legacy";
  return {
    taskId: id,
    status: statusOf(task, isLegacy),
    ...(message !== undefined && { statusMessage: message }),
    createdAt: toIso(createdAt),
    lastUpdatedAt: toIso(updatedAt),
    ...(isLegacy ? { ttl: ttlMs, pollInterval: pollIntervalMs } : { ttlMs, pollIntervalMs }),
  };
}

function toIso(at: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes a date down, and reads no clock
  return new Date(at).toISOString();
}

/**
 * The same with what its status brings along: the result, the error, or what it waits for. For
 * 2026-07-28. https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
export function toDetailedTask(task: Task): JsonObject {
  const { end, questions } = task;
  const state = toWireTask(task, "modern");
  switch (end?.kind) {
    case undefined:
      return questions.size === 0 ? state : { ...state, inputRequests: toInputRequests(task) };
    case "completed":
      return { ...state, result: end.result };
    case "failed":
      return { ...state, error: { ...end.failure } };
    case "cancelled":
      return state;
  }
}

function toInputRequests({ questions }: Task): JsonObject {
  return Object.fromEntries(
    Array.from(questions, ([key, { request }]) => [
      key,
      { method: "elicitation/create", params: questionParams(request) },
    ]),
  );
}

// In 2025-11-25 a tool's own failure is a failure of its task; in 2026-07-28 only what has no
// result is one.
function statusOf({ end, questions }: Task, isLegacy: boolean): string {
  if (end === undefined) return questions.size === 0 ? "working" : "input_required";
  return isLegacy && end.kind === "completed" && end.result["isError"] === true ? "failed" : end.kind;
}

/** Marks a message of 2025-11-25 as one that belongs to a task. */
export function relateTo({ id }: Pick<Task, "id">, message: JsonObject): JsonObject {
  const params = isJsonObject(message["params"]) ? message["params"] : {};
  return { ...message, params: withRelation({ id }, params) };
}

/** The same for parameters, or for a result. */
export function withRelation({ id }: Pick<Task, "id">, part: JsonObject): JsonObject {
  return { ...part, _meta: { ...metaOf(part), [metaKeys.relatedTask]: { taskId: id } } };
}
