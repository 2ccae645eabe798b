import { isHostsideError, HostsideError, type JsonObject, type JsonValue, type LostCall } from "@hostside/core";
import { isJsonObject, withErrorContext } from "@hostside/core/implement";
import { withCarriedMeta, type OutgoingRequest } from "../message/outgoing-request.ts";
import { fromRpcError } from "../message/from-rpc-error.ts";
import {
  describeRequest,
  errorContextOf,
  requestAbortedError,
  requestTimeoutError,
} from "../message/request-errors.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { eitherSignal, waitFor } from "../time/cancellable-wait.ts";
import type { QuestionTally } from "../wire/elicitor.ts";
import { answerInputRequests, inputRequired, type RoundsInit, type TimeLeft } from "./request-in-rounds.ts";

/** What waiting for a task goes by. */
export interface AwaitTaskInit extends RoundsInit {
  /** Whether a connection that was closed had been lost before. */
  readonly wasLost: boolean;
}

/** A call that its server made a task of. */
export interface TaskCall {
  readonly request: OutgoingRequest;
  readonly time: TimeLeft;
  readonly tally: QuestionTally;
  /** The result of the type "task"; or its latest state, over a connection that was lost. */
  readonly created: JsonObject;
  /** What an earlier connection has left of it. */
  readonly before?: HeardTask | undefined;
}

/** What was heard and said of a task so far. */
interface HeardTask {
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

/** What is left of a call that failed so; `undefined` when it is over. */
export function findLostTask(reason: unknown): LostTask | undefined {
  return typeof reason === "object" && reason !== null ? lostTasks.get(reason) : undefined;
}

const usualIntervalMs = 1000;
const shortestIntervalMs = 100;
const longestIntervalMs = 60_000;
const longestTaskId = 1024;

/**
 * Waits for the end of a task (the extension `io.modelcontextprotocol/tasks` of 2026-07-28) within
 * the time of its call, by asking for its state as often as the server suggests, and resolves with
 * the result that the call would have had. Questions of the task are answered on the way, once. A
 * call that is given up tells the server to cancel the task, unless its connection ends with it.
 * The server took the call in any case, so that every failure is `unknown`, and the call is never
 * sent again.
 * https://tasks.extensions.modelcontextprotocol.io/specification/2026-07-28/tasks
 */
export async function awaitTask(init: AwaitTaskInit, call: TaskCall): Promise<JsonObject> {
  const { taskId } = call.created;
  if (typeof taskId !== "string" || taskId === "" || taskId.length > longestTaskId)
    throw badTask(init, call.request, "with a task that has no usable id");
  const { signal, release } = eitherSignal(call.request.signal, init.closing.signal);
  try {
    return await new TaskWait(init, call, { taskId, signal }).run();
  } finally {
    release();
  }
}

/**
 * What could be had this time; without `result` nothing, and it is not to be asked for within
 * `pauseMs`.
 */
interface TaskPollResult {
  readonly result?: JsonObject;
  readonly pauseMs: number;
}

class TaskWait {
  readonly #init: AwaitTaskInit;
  readonly #call: TaskCall;
  readonly #taskId: string;
  readonly #signal: AbortSignal;
  readonly #heard: HeardTask;
  #state: JsonObject;
  // A server that was started anew and counts its tasks may have given the name to another one.
  #isOurs: boolean;

  constructor(
    init: AwaitTaskInit,
    call: TaskCall,
    { taskId, signal }: { readonly taskId: string; readonly signal: AbortSignal },
  ) {
    this.#init = init;
    this.#call = call;
    this.#taskId = taskId;
    this.#signal = signal;
    this.#heard = call.before ?? { answered: new Set(), unsent: undefined };
    this.#state = call.created;
    this.#isOurs = call.before === undefined;
  }

  async run(): Promise<JsonObject> {
    const { request, time, tally } = this.#call;
    try {
      return await this.#poll();
    } catch (error) {
      const { status } = this.#state;
      const isOver = status === "completed" || status === "failed" || status === "cancelled";
      if (this.#isOurs && !isOver) void this.#cancel();
      const reason = asUnknown(error, request.toolName);
      // Nobody gave it up: what was lost is the connection.
      if (this.#isLost() && request.signal?.aborted !== true && time.leftMs() > 0 && isHostsideError(reason)) {
        const created = { ...this.#state, taskId: this.#taskId };
        lostTasks.set(reason, { toolName: request.toolName ?? "", created, tally, before: this.#heard });
      }
      throw reason;
    }
  }

  async #poll(): Promise<JsonObject> {
    // What the first state says of results and questions is not to be used.
    let waitMs = this.#isOurs && this.#state["status"] === "working" ? this.#intervalMs(0) : 0;
    for (;;) {
      await this.#wait(waitMs);
      const { result: next, pauseMs } = await this.#ask("tasks/get", {});
      waitMs = this.#intervalMs(pauseMs);
      if (next === undefined) continue;
      if ((next["taskId"] ?? this.#taskId) !== this.#taskId)
        throw badTask(this.#init, this.#call.request, "with the state of another task");
      this.#isOurs ||= isSameTask(this.#state, next);
      if (!this.#isOurs) throw badTask(this.#init, this.#call.request, "with another task under the name of its own");
      this.#state = next;
      // It may not have been heard before the connection was lost.
      if (next["status"] !== "input_required") this.#heard.unsent = undefined;
      else if (this.#heard.unsent !== undefined) await this.#update();
      const result = await this.#read();
      if (result !== undefined) return result;
    }
  }

  /** Waits; throws what ends the call meanwhile. */
  async #wait(ms: number): Promise<void> {
    const { context, closing } = this.#init;
    const { request, time } = this.#call;
    if (ms > 0) await waitFor(ms, { signal: this.#signal });
    if (closing.signal.aborted) throw closing.signal.reason;
    if (this.#signal.aborted) throw requestAbortedError(context, request, "unknown");
    if (time.leftMs() <= 0) throw requestTimeoutError(context, request);
  }

  /** How long to wait for the next look, by what the server suggests. */
  #intervalMs(pauseMs: number): number {
    const suggested = this.#state["pollIntervalMs"];
    const interval =
      typeof suggested !== "number" || !Number.isFinite(suggested)
        ? usualIntervalMs
        : Math.min(longestIntervalMs, Math.max(shortestIntervalMs, suggested));
    return Math.min(Math.max(interval, pauseMs), Math.max(1, this.#call.time.leftMs()));
  }

  /** The result of a task that has ended; `undefined` when it goes on. */
  async #read(): Promise<JsonObject | undefined> {
    const { context } = this.#init;
    const { request } = this.#call;
    const { status, result, error } = this.#state;
    switch (status) {
      case "working":
        return undefined;
      case "input_required":
        return this.#answer();
      case "completed":
        if (isJsonObject(result)) return result;
        throw badTask(this.#init, request, "with a task that is completed and has no result");
      case "failed":
        throw this.#failure(error);
      case "cancelled":
        throw new HostsideError(`${describeRequest(context.serverId, request)} was cancelled by the server`, {
          code: "server_error",
          serverId: context.serverId,
          ...errorContextOf(request),
          outcome: "unknown",
        });
      default:
        throw badTask(this.#init, request, `with a task of the unknown status ${quoteJson(status, context.redact)}`);
    }
  }

  #failure(error: JsonValue | undefined): HostsideError {
    const { serverId, redact } = this.#init.context;
    const { method, toolName } = this.#call.request;
    const { code, message, data } = isJsonObject(error) ? error : {};
    if (typeof code !== "number")
      return badTask(this.#init, this.#call.request, "with a task that failed without an error");
    const text = typeof message === "string" ? message : "";
    return fromRpcError({ code, message: text, data }, { serverId, method, toolName, redact });
  }

  async #answer(): Promise<undefined> {
    const { context, elicitor } = this.#init;
    const { request, time, tally } = this.#call;
    const { answered } = this.#heard;
    const { inputRequests } = this.#state;
    const open = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key));
    if (open.length === 0) return undefined;
    const asked = { inputRequests: Object.fromEntries(open) };
    const signal = this.#signal;
    const { callContext } = request;
    const init = { context, elicitor, signal, tally, callContext, leftMs: time.askMs };
    const answer = await answerInputRequests(asked, init);
    if (answer.problem !== undefined)
      throw withErrorContext(inputRequired(context.serverId, request, answer.problem), { outcome: "unknown" });
    // The question was withdrawn, and is asked again if the call goes on over another connection.
    if (signal.aborted) return undefined;
    for (const [key] of open) answered.add(key);
    this.#heard.unsent = answer.params;
    await this.#update();
    return undefined;
  }

  // Answers may be handed over twice: the server takes the first.
  async #update(): Promise<void> {
    // When nobody needs them any more, what becomes of the call is told by the loop.
    while (!this.#signal.aborted && this.#call.time.leftMs() > 0) {
      const { result, pauseMs } = await this.#ask("tasks/update", { ...this.#heard.unsent });
      if (result !== undefined) {
        this.#heard.unsent = undefined;
        return;
      }
      await waitFor(this.#intervalMs(pauseMs), { signal: this.#signal });
    }
  }

  /**
   * Asks for something about the task. A failure that the task survives is none: it may be asked
   * again.
   */
  async #ask(method: string, more: JsonObject): Promise<TaskPollResult> {
    const { channel, context } = this.#init;
    const { request, time } = this.#call;
    const { signal, callContext, observer } = request;
    const timeoutMs = Math.max(1, Math.min(context.settings.timeouts.requestMs, time.leftMs()));
    const params = withCarriedMeta({ taskId: this.#taskId, ...more }, observer);
    try {
      const asking = { method, params, timeoutMs, timeoutCode: "request_timeout", signal, callContext } as const;
      return { result: await channel.request(asking), pauseMs: 0 };
    } catch (error) {
      if (!isHostsideError(error) || !isPassing(error, channel.isOpen === true)) throw error;
      return { pauseMs: error.details.retryAfterMs ?? 0 };
    }
  }

  /** Tells the server that nobody wants the task any more. Only a courtesy; never rejects. */
  async #cancel(): Promise<void> {
    const { channel, context } = this.#init;
    const { callContext, observer } = this.#call.request;
    const timeoutMs = context.settings.timeouts.requestMs;
    const params = withCarriedMeta({ taskId: this.#taskId }, observer);
    try {
      await channel.request({ method: "tasks/cancel", params, timeoutMs, timeoutCode: "request_timeout", callContext });
    } catch {
      // The call is over on this side.
    }
  }

  #isLost(): boolean {
    const { channel, closing, wasLost } = this.#init;
    return closing.signal.aborted ? wasLost : channel.isOpen === false;
  }
}

// The time of its creation is part of what every server says of a task.
function isSameTask({ createdAt: before }: JsonObject, { createdAt: now }: JsonObject): boolean {
  return typeof before !== "string" || typeof now !== "string" || before === now;
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
function badTask({ context: { serverId } }: RoundsInit, request: OutgoingRequest, what: string): HostsideError {
  return new HostsideError(`${describeRequest(serverId, request)} was answered ${what}`, {
    code: "protocol_error",
    serverId,
    ...errorContextOf(request),
    outcome: "unknown",
  });
}
