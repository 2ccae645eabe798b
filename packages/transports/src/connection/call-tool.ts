import { cleanText, ToolportError, type CallOptions, type JsonObject, type ServerTimeouts } from "@toolport/core";
import type { Wire } from "../wire/wire.ts";
import type { Elicitor } from "./elicitor.ts";
import { answerInputRequests } from "./input-rounds.ts";

/** What {@linkcode callTool} goes by. */
export interface CallToolInit {
  readonly serverId: string;
  readonly wire: Wire;
  readonly timeouts: ServerTimeouts;
  /** 2026-07-28 marks its results with a type, and asks for input in one. */
  readonly isModern: boolean;
  readonly elicitor: Elicitor | undefined;
  /** The headers that mirror arguments of this tool, if any. */
  readonly headersFor: (toolName: string, args: JsonObject) => Readonly<Record<string, string>> | undefined;
}

/** One call. */
export interface ToolCallRequest {
  readonly toolName: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
}

const mostRounds = 10;

/**
 * Sends one `tools/call` and resolves with the server's result, unchanged. On 2026-07-28 it also goes through the rounds in which a
 * server asks for input, each with a new request under one common deadline.
 */
export async function callTool(init: CallToolInit, { toolName, args, options }: ToolCallRequest): Promise<JsonObject> {
  const { wire, timeouts, isModern, elicitor } = init;
  const { signal, onProgress, meta, timeoutMs = timeouts.callMs } = options;
  const startedAt = wire.activeClock.now();
  const call: JsonObject = { name: toolName, arguments: args, ...(meta && { _meta: meta }) };
  const headers = init.headersFor(toolName, args);
  let params = call;
  for (let round = 0; ; round += 1) {
    const result = await wire.request({
      method: "tools/call",
      params,
      timeoutMs: round === 0 ? timeoutMs : Math.max(1, timeoutMs - (wire.activeClock.now() - startedAt)),
      idleMs: timeouts.callIdleMs,
      timeoutCode: "call_timeout",
      signal,
      onProgress,
      headers,
      toolName,
    });
    if (!isModern || result["resultType"] !== "input_required") return checkResult(init, toolName, result);
    if (round >= mostRounds) throw inputRequired(init, toolName, `still asks for input after ${mostRounds} rounds`);
    const answered = await answerInputRequests(result, { elicitor, signal });
    if (answered.problem !== undefined) throw inputRequired(init, toolName, answered.problem);
    params = { ...call, ...answered.params };
  }
}

function checkResult({ serverId, isModern }: CallToolInit, toolName: string, result: JsonObject): JsonObject {
  const { content, resultType } = result;
  const problem =
    content !== undefined && !Array.isArray(content)
      ? "with content that is not an array"
      : isModern && resultType !== undefined && resultType !== "complete"
        ? `with a result of the unknown type ${cleanText(JSON.stringify(resultType), 60)}`
        : undefined;
  if (problem === undefined) return result;
  throw new ToolportError(
    `tools/call of ${JSON.stringify(toolName)} on ${JSON.stringify(serverId)} was answered ${problem}`,
    {
      code: "protocol_error",
      serverId,
      toolName,
      outcome: "unknown",
      details: { operation: "tools/call" },
    },
  );
}

function inputRequired({ serverId }: CallToolInit, toolName: string, problem: string): ToolportError {
  return new ToolportError(`tools/call of ${JSON.stringify(toolName)}: ${JSON.stringify(serverId)} ${problem}`, {
    code: "input_required",
    serverId,
    toolName,
    details: { operation: "tools/call" },
  });
}
