import { isHostsideError, HostsideError, type CallOptions, type JsonObject } from "@hostside/core";
import {
  clock,
  assertCallOptions,
  assertToolName,
  isCallArguments,
  quoteText,
  readCallArguments,
  withErrorContext,
} from "@hostside/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { awaitTask } from "./tasks.ts";
import type { Liveness } from "./liveness.ts";
import { continueInRounds, sendWithConsent, TimeLeft, type RoundsInit } from "./request-in-rounds.ts";

/** The input of {@linkcode callTool}. */
export interface CallToolInit extends RoundsInit {
  /** 2026-07-28 marks its results with a type, and asks for input in one. */
  readonly isModern: boolean;
  /** True if servers may make tasks of calls. */
  readonly tasks: boolean;
  readonly cooldown: Cooldown;
  /** The headers that mirror arguments of this tool, if any. */
  headersFor(toolName: string, args: JsonObject): Readonly<Record<string, string>> | undefined;
  /** The listing that the headers were made from is not the server's any more. */
  readonly onToolsChanged: () => void;
  readonly liveness: Pick<Liveness, "answered" | "failed">;
}

/** One call. */
export interface ToolCallRequest {
  readonly toolName: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

const headerMismatch = -32_020;

/**
 * Sends one `tools/call` and resolves with the server's result, unchanged. On 2026-07-28 it also
 * goes through the rounds in which a server asks for input, each with a new request under one
 * common deadline, and waits for a task where the host wants that. Throws `rate_limited`, outcome
 * `not-sent`, for as long as the server asked to be left alone.
 */
export async function callTool(init: CallToolInit, call: ToolCallRequest): Promise<JsonObject> {
  const { context, isModern, cooldown } = init;
  const { timeouts } = context.settings;
  const { toolName, options } = call;
  assertToolName("callTool()", toolName);
  assertCallOptions(options);
  const args = isCallArguments(call.args) ? call.args : readArguments(context.serverId, call);
  const refusal = cooldown.refusal(toolName);
  if (refusal !== undefined) throw refusal;
  const { onProgress, meta, context: callContext, timeoutMs = timeouts.callMs, observer } = options;
  const request = {
    method: "tools/call",
    params: meta === undefined ? { name: toolName, arguments: args } : { name: toolName, arguments: args, _meta: meta },
    timeoutMs,
    idleMs: timeouts.callIdleMs,
    timeoutCode: "call_timeout",
    signal: options.signal,
    onProgress,
    headers: init.headersFor(toolName, args),
    callContext,
    observer,
    toolName,
  } as const;
  const asking = { request, time: new TimeLeft(context, request), tally: { asked: 0 } };
  let isAnswered = false;
  try {
    let result = await sendWithConsent(init, asking);
    isAnswered = true;
    init.liveness.answered();
    if (isModern && result["resultType"] === "input_required") result = await continueInRounds(init, asking, result);
    if (isModern && result["resultType"] === "task" && init.tasks)
      result = await awaitTask(init, { ...asking, created: result });
    return checkResult(init, toolName, result);
  } catch (error) {
    init.liveness.failed(error);
    cooldown.note(error);
    if (isAnswered || !isHeaderMismatch(error)) throw error;
    // Another listing helps, and a later call.
    init.onToolsChanged();
    throw withErrorContext(error, { retryable: true });
  }
}

// Nothing, or what cannot be sent.
function readArguments(serverId: string, { toolName, args }: ToolCallRequest): JsonObject {
  return readCallArguments(args, { serverId, toolName, qualifiedName: toolName });
}

/**
 * True if the server refused a call whose headers do not mirror what its schema of today declares.
 */
export function isHeaderMismatch(error: unknown): error is HostsideError {
  return isHostsideError(error) && error.details.rpcCode === headerMismatch;
}

function checkResult({ context }: CallToolInit, toolName: string, result: JsonObject): JsonObject {
  const { serverId, redact } = context;
  const problem = findProblem(result, redact);
  if (problem === undefined) return result;
  throw new HostsideError(`${nameOf(serverId, toolName)} was answered ${problem}`, {
    code: "protocol_error",
    serverId,
    toolName,
    outcome: "unknown",
    details: { operation: "tools/call" },
  });
}

// A missing type counts as "complete", as it does from servers of earlier drafts.
function findProblem(result: JsonObject, redact: (text: string) => string): string | undefined {
  const { resultType = "complete", content, structuredContent, toolResult } = result;
  if (resultType !== "complete") return `with a result of the unknown type ${quoteJson(resultType, redact)}`;
  if ((content ?? structuredContent ?? toolResult) !== undefined) return undefined;
  if (content === null || structuredContent === null || toolResult === null) return undefined;
  const others = Object.keys(result).filter((name) => !["resultType", "_meta", "isError"].includes(name));
  return others.length === 0 ? undefined : `with no content, but with ${quoteJson(others.slice(0, 10), redact)}`;
}

function nameOf(serverId: string, toolName: string): string {
  return `tools/call of ${quoteText(toolName)} on server ${JSON.stringify(serverId)}`;
}

/**
 * Leaves a server alone for as long as it asked for when it refused a call (HTTP 429 with
 * `Retry-After`).
 */
export class Cooldown {
  readonly #context: ServerContext;
  #until: number | undefined;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** The error that a call is refused with now; `undefined` when it may go out. */
  refusal(toolName: string): HostsideError | undefined {
    if (this.#until === undefined) return undefined;
    const { serverId } = this.#context;
    const leftMs = Math.ceil(this.#until - clock.now());
    if (leftMs > 0) return tooEarly(leftMs, { serverId, toolName });
    this.#until = undefined;
    return undefined;
  }

  /** Takes note of what a call failed with. */
  note(error: unknown): void {
    // What was not sent was refused by somebody else, such as an authorization server that has too
    // many renewals to do.
    if (!isHostsideError(error) || error.code !== "rate_limited" || error.outcome === "not-sent") return;
    const { retryAfterMs = 0 } = error.details;
    if (retryAfterMs > 0) this.#until = Math.max(this.#until ?? 0, clock.now() + retryAfterMs);
  }
}

function tooEarly(
  retryAfterMs: number,
  { serverId, toolName }: { readonly serverId: string; readonly toolName: string },
): HostsideError {
  const what = `tools/call of ${quoteText(toolName)} on server ${JSON.stringify(serverId)} was not sent`;
  return new HostsideError(`${what}: the server asked to be left alone for another ${retryAfterMs} ms`, {
    code: "rate_limited",
    serverId,
    toolName,
    outcome: "not-sent",
    details: { operation: "tools/call", retryAfterMs },
  });
}
