import { isToolportError, ToolportError, type CallOptions, type JsonObject } from "@toolport/core";
import { quoteText, withErrorContext } from "@toolport/core/implement";
import type { ServerContext } from "../context/server-context.ts";
import { quoteJson } from "../text/quote-json.ts";
import type { Cooldown } from "./cooldown.ts";
import type { Elicitor } from "../wire/elicitor.ts";
import { answerInputRequests } from "./input-rounds.ts";
import type { Liveness } from "./liveness.ts";
import type { RequestChannel } from "../message/request-channel.ts";

/** What {@linkcode callTool} goes by. */
export interface CallToolInit {
  readonly context: ServerContext;
  readonly channel: RequestChannel;
  /** 2026-07-28 marks its results with a type, and asks for input in one. */
  readonly isModern: boolean;
  readonly elicitor: Elicitor | undefined;
  readonly cooldown: Cooldown;
  /** The headers that mirror arguments of this tool, if any. */
  readonly headersFor: (toolName: string, args: JsonObject) => Readonly<Record<string, string>> | undefined;
  /** The listing that the headers were made from is not the server's any more. */
  readonly onToolsChanged: () => void;
  readonly liveness: Liveness;
  /** Aborts when the connection is closed. */
  readonly closing: AbortSignal;
}

/** One call. */
export interface ToolCallRequest {
  readonly toolName: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

const mostRounds = 10;
const headerMismatch = -32_020;

/**
 * Sends one `tools/call` and resolves with the server's result, unchanged. On 2026-07-28 it also goes through the rounds in which a
 * server asks for input, each with a new request under one common deadline. Throws `rate_limited`, outcome `not-sent`, for as long as
 * the server asked to be left alone.
 */
export async function callTool(init: CallToolInit, call: ToolCallRequest): Promise<JsonObject> {
  const { context, channel, isModern, cooldown } = init;
  const { timeouts } = context.settings;
  const { toolName, args, options } = call;
  const refusal = cooldown.refusal(toolName);
  if (refusal !== undefined) throw refusal;
  const { signal, onProgress, meta, timeoutMs = timeouts.callMs } = options;
  const request = {
    method: "tools/call",
    params: { name: toolName, arguments: args, ...(meta && { _meta: meta }) },
    timeoutMs,
    idleMs: timeouts.callIdleMs,
    timeoutCode: "call_timeout",
    signal,
    onProgress,
    headers: init.headersFor(toolName, args),
    toolName,
  } as const;
  const startedAt = channel.activeClock.now();
  const pausedBefore = channel.activeClock.pausedMs();
  let result: JsonObject;
  try {
    result = await channel.request(request);
    init.liveness.answered();
  } catch (error) {
    init.liveness.failed(error);
    throw learnFromRefusal(init, error);
  }
  if (!isModern || result["resultType"] !== "input_required") return checkResult(init, toolName, result);
  const { elicitTotalMs } = timeouts;
  const pausedMs = (): number => channel.activeClock.pausedMs() - pausedBefore;
  // What questions take beyond their share is the call's own time.
  const leftMs = (): number =>
    timeoutMs - (channel.activeClock.now() - startedAt) - Math.max(0, pausedMs() - elicitTotalMs);
  return continueCall(init, call, {
    result,
    askMs: () => Math.max(1, leftMs() + Math.max(0, elicitTotalMs - pausedMs())),
    send: (answers) =>
      channel.request({
        ...request,
        params: { ...request.params, ...answers },
        // At least a moment: a deadline that passed between two rounds is told as what it is, by the request.
        timeoutMs: Math.max(1, leftMs()),
      }),
  });
}

// The server refuses a call whose headers do not mirror what its schema of today declares. Another listing helps, and a later call.
function learnFromRefusal({ onToolsChanged, cooldown }: CallToolInit, error: unknown): unknown {
  cooldown.note(error);
  if (!isToolportError(error) || error.details.rpcCode !== headerMismatch) return error;
  onToolsChanged();
  return withErrorContext(error, { retryable: true });
}

interface Continuation {
  /** What asks for input. */
  readonly result: JsonObject;
  /** How long a question may take now, in milliseconds. */
  readonly askMs: () => number;
  /** Sends the call again, with answers, as a new request. */
  readonly send: (answers: JsonObject) => Promise<JsonObject>;
}

async function continueCall(
  init: CallToolInit,
  call: ToolCallRequest,
  { result, askMs, send }: Continuation,
): Promise<JsonObject> {
  const { context, elicitor, closing } = init;
  const { signal } = call.options;
  const aborted = signal === undefined ? closing : AbortSignal.any([signal, closing]);
  const tally = { asked: 0 };
  let asking = result;
  for (let round = 0; round < mostRounds; round += 1) {
    const answered = await answerInputRequests(asking, {
      context,
      elicitor,
      signal: aborted,
      tally,
      leftMs: askMs,
    });
    if (answered.problem !== undefined) throw inputRequired(init, call.toolName, answered.problem);
    asking = await send(answered.params).catch((error: unknown) => {
      init.cooldown.note(error);
      // The first round did reach the server, which said that it did not finish. To begin again is not to go on.
      throw isToolportError(error) && error.outcome === "not-sent"
        ? withErrorContext(error, { outcome: "failed", retryable: false })
        : error;
    });
    if (asking["resultType"] !== "input_required") return checkResult(init, call.toolName, asking);
  }
  throw inputRequired(init, call.toolName, `still asks for input after ${mostRounds} rounds`);
}

function checkResult({ context, isModern }: CallToolInit, toolName: string, result: JsonObject): JsonObject {
  const { serverId, redact } = context;
  const { content, resultType } = result;
  // A missing type counts as "complete", as it does from servers of earlier drafts.
  const problem =
    content !== undefined && !Array.isArray(content)
      ? "with content that is not an array"
      : isModern && resultType !== undefined && resultType !== "complete"
        ? `with a result of the unknown type ${quoteJson(resultType, redact)}`
        : undefined;
  if (problem === undefined) return result;
  throw new ToolportError(`${nameOf(serverId, toolName)} was answered ${problem}`, {
    code: "protocol_error",
    serverId,
    toolName,
    outcome: "unknown",
    details: { operation: "tools/call" },
  });
}

function inputRequired({ context: { serverId } }: CallToolInit, toolName: string, problem: string): ToolportError {
  return new ToolportError(`${nameOf(serverId, toolName)} cannot go on: the server ${problem}`, {
    code: "input_required",
    serverId,
    toolName,
    details: { operation: "tools/call" },
  });
}

function nameOf(serverId: string, toolName: string): string {
  return `tools/call of ${quoteText(toolName)} on server ${JSON.stringify(serverId)}`;
}
