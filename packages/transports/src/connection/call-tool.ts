import { isHostsideError, HostsideError, type CallOptions, type JsonObject, type LostCall } from "@hostside/core";
import {
  assertCallOptions,
  assertToolName,
  isCallArguments,
  quoteText,
  readCallArguments,
  withErrorContext,
} from "@hostside/core/implement";
import type { OutgoingRequest } from "../message/outgoing-request.ts";
import { quoteJson } from "../text/safe-excerpt.ts";
import { awaitTask, type AwaitTaskInit, type LostTask } from "./tasks.ts";
import type { Cooldown } from "./cooldown.ts";
import type { Liveness } from "./liveness.ts";
import { beginNow, continueInRounds, sendWithConsent, timeLeftOf, type ConsentRequest } from "./request-in-rounds.ts";

/** What {@linkcode callTool} goes by. */
export interface CallToolInit extends AwaitTaskInit {
  /** 2026-07-28 marks its results with a type, and asks for input in one. */
  readonly isModern: boolean;
  /** Whether servers may make tasks of calls. */
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
  const { context, channel, isModern, cooldown } = init;
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
  const time = timeLeftOf(init, timeoutMs, beginNow(channel, callContext));
  const tally = { asked: 0 };
  let result: JsonObject;
  try {
    result = await sendWithConsent(init, { request, time, tally }, (leftMs) =>
      channel.request(leftMs === timeoutMs ? request : { ...request, timeoutMs: leftMs }),
    );
    init.liveness.answered();
  } catch (error) {
    init.liveness.failed(error);
    throw learnFromRefusal(init, error);
  }
  const { resultType } = result;
  if (!isModern || resultType === undefined || resultType === "complete") return checkResult(init, toolName, result);
  return finish(init, request, { result, time, tally });
}

// Nothing, or what cannot be sent.
function readArguments(serverId: string, { toolName, args }: ToolCallRequest): JsonObject {
  return readCallArguments(args, { serverId, toolName, qualifiedName: toolName });
}

// Whatever is no result yet.
async function finish(
  init: CallToolInit,
  request: OutgoingRequest & { readonly toolName: string },
  { result: first, time, tally }: { readonly result: JsonObject } & Pick<ConsentRequest, "time" | "tally">,
): Promise<JsonObject> {
  const onFailure = (error: unknown): void => init.cooldown.note(error);
  let result = first;
  if (result["resultType"] === "input_required")
    result = await continueInRounds(init, { request, result, time, tally, onFailure });
  if (result["resultType"] !== "task" || !init.tasks) return checkResult(init, request.toolName, result);
  return checkResult(init, request.toolName, await awaitTask(init, { request, time, tally, created: result }));
}

/**
 * Goes on with a call whose connection was lost while its server had made a task of it. Sends no
 * call.
 */
export async function resumeCall(init: CallToolInit, lost: LostCall, options: CallOptions): Promise<JsonObject> {
  assertCallOptions(options);
  const task = lost as Partial<LostTask>;
  const { toolName, created, before, tally } = task;
  if (toolName === undefined || created === undefined || before === undefined || tally === undefined) {
    throw new TypeError("resumeCall(): what is left of a call comes from lostCall() alone");
  }
  const { context: callContext, timeoutMs = init.context.settings.timeouts.callMs, observer } = options;
  const request = {
    method: "tools/call",
    params: {},
    timeoutMs,
    timeoutCode: "call_timeout",
    signal: options.signal,
    callContext,
    observer,
    toolName,
  } as const;
  const time = timeLeftOf(init, timeoutMs, beginNow(init.channel, callContext));
  return checkResult(init, toolName, await awaitTask(init, { request, time, tally, created, before }));
}

/**
 * Whether the server refused a call whose headers do not mirror what its schema of today declares.
 */
export function isHeaderMismatch(error: unknown): error is HostsideError {
  return isHostsideError(error) && error.details.rpcCode === headerMismatch;
}

// Another listing helps, and a later call.
function learnFromRefusal({ onToolsChanged, cooldown }: CallToolInit, error: unknown): unknown {
  cooldown.note(error);
  if (!isHeaderMismatch(error)) return error;
  onToolsChanged();
  return withErrorContext(error, { retryable: true });
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
function findProblem(
  { resultType = "complete", _meta, isError: _isError, ...rest }: JsonObject,
  redact: (text: string) => string,
): string | undefined {
  if (resultType !== "complete") return `with a result of the unknown type ${quoteJson(resultType, redact)}`;
  if (["content", "structuredContent", "toolResult"].some((member) => rest[member] !== undefined)) return undefined;
  const others = Object.keys(rest);
  return others.length === 0 ? undefined : `with no content, but with ${quoteJson(others.slice(0, 10), redact)}`;
}

function nameOf(serverId: string, toolName: string): string {
  return `tools/call of ${quoteText(toolName)} on server ${JSON.stringify(serverId)}`;
}
