import {
  HostsideError,
  type CallOptions,
  type ToolCall,
  type ToolOrigin,
  type HostsideErrorCode,
  type HostsideErrorInit,
  type ToolDefinition,
} from "@hostside/core";
import { formatMs, quoteText, timeSetBy, withErrorContext, sameDefinition } from "@hostside/core/implement";
import type { Session } from "../link/sessions.ts";
import type { QueueLoad } from "./fair-queue.ts";
import { toHostsideError } from "../errors/to-hostside-error.ts";
import { listingOriginOf, isSameOrigin, type CatalogTool } from "../catalog/define-tool.ts";

/** A call that its caller gave up before it was sent. */
export function callAbortedError(origin: ToolOrigin, cause: unknown): HostsideError {
  return callError("aborted", origin, { problem: "was aborted before it was sent", cause });
}

/** A call for which there is no room. */
export function overloadedError(origin: ToolOrigin, waiting: number): HostsideError {
  return callError("overloaded", origin, {
    problem: `was refused: ${waiting} calls of the server are waiting already`,
  });
}

/** A call whose place another conversation got, because its own had most of them. */
export function displacedError(origin: ToolOrigin, { waiting, own }: QueueLoad): HostsideError {
  return callError("overloaded", origin, {
    problem: `was refused: of the ${waiting} calls of the server that were waiting, ${own} were of its conversation, and another one got its place`,
  });
}

/** A call that was still waiting when its time was up. */
export function callTimeoutError({ origin, options, timeoutMs }: FailedCall): HostsideError {
  const spent = `${formatMs(timeoutMs)} (${timeSetBy(options)})`;
  return callError("call_timeout", origin, {
    problem: `was not sent: its server was not ready, or busy with other calls, for ${spent}`,
    details: { timeoutMs },
  });
}

/** A call whose tool is no longer on offer. */
export function toolRemovedError(origin: ToolOrigin): HostsideError {
  return callError("tool_removed", origin, { problem: "was not sent: the server no longer offers the tool" });
}

/** A call of a tool that the host holds back. */
export function toolQuarantinedError(origin: ToolOrigin): HostsideError {
  return callError("tool_quarantined", origin, {
    problem:
      "was not sent: the tool differs from what was locked or approved, or is new, and is held back until it is approved",
  });
}

/**
 * Makes the error of a call that was not sent, from its reason: the server's trouble, the deadline,
 * or the caller.
 */
export function notSentError(reason: unknown, { origin, options }: ToolCall, retryAfterMs?: number): HostsideError {
  if (options.signal?.aborted === true && reason === options.signal.reason) return callAbortedError(origin, reason);
  const error = toHostsideError(reason, origin.serverId, "tools/call");
  if (error.toolName !== undefined && error.outcome === "not-sent") return error;
  return withErrorContext(error, {
    toolName: origin.toolName,
    outcome: "not-sent",
    ...(retryAfterMs !== undefined && { details: { retryAfterMs } }),
  });
}

/** A call that was sent, and how much time it had. */
export interface FailedCall {
  readonly origin: ToolOrigin;
  readonly options: CallOptions;
  /** In all, with what it waited before it was sent. */
  readonly timeoutMs: number;
  readonly idleMs?: number | undefined;
}

/** Makes the error of a call that was handed to its connection. */
export function failedCallError(reason: unknown, call: FailedCall, session: Session): HostsideError {
  const { origin } = call;
  const error = toHostsideError(reason, origin.serverId, "tools/call");
  const { serverId, toolName } = origin;
  // This host closed the session under the call: the reason for that says more. Whether the tool
  // ran, nobody knows.
  if (error.code === "closed") {
    return withErrorContext(session.endedBy ?? error, { serverId, toolName, outcome: "unknown", cause: error });
  }
  if (error.code === "call_timeout") return overdueError(error, call);
  return error.toolName === undefined ? withErrorContext(error, { toolName }) : error;
}

// The connection was given what was left of the time. The caller thinks of the whole of it.
function overdueError(error: HostsideError, { origin, options, timeoutMs, idleMs }: FailedCall): HostsideError {
  const silence = idleMs === undefined ? "" : `, or was silent for ${formatMs(idleMs)} (timeouts.callIdleMs)`;
  return callError("call_timeout", origin, {
    problem: `did not finish within ${formatMs(timeoutMs)} (${timeSetBy(options)})${silence}`,
    outcome: error.outcome,
    details: { ...error.details, timeoutMs },
    cause: error,
  });
}

function callError(
  code: HostsideErrorCode,
  { serverId, toolName }: ToolOrigin,
  { problem, ...rest }: { readonly problem: string } & Pick<HostsideErrorInit, "cause" | "details" | "outcome">,
): HostsideError {
  return new HostsideError(`call of ${quoteText(toolName)} on ${JSON.stringify(serverId)} ${problem}`, {
    code,
    serverId,
    toolName,
    outcome: "not-sent",
    ...rest,
  });
}

/**
 * Throws unless what the caller selected is what `current` is: `registration_replaced` when it was
 * made for another registration of the server, `tool_changed` when anything in it differs. A copy,
 * such as one that was stored as JSON, counts by its content.
 */
export function checkSelection(selected: ToolDefinition, current: CatalogTool): void {
  if (selected === current) return;
  const { serverId, toolName } = current.origin;
  const [before, now] = [listingOriginOf(selected), listingOriginOf(current)];
  if (before !== undefined && now !== undefined && !isSameOrigin(before, now)) {
    throw new HostsideError(
      `server ${JSON.stringify(serverId)} was replaced since ${quoteText(toolName)} was selected; select it again`,
      { code: "registration_replaced", serverId, toolName },
    );
  }
  if (sameDefinition(selected, current)) return;
  throw new HostsideError(
    `tool ${quoteText(toolName)} of ${JSON.stringify(serverId)} changed since it was selected; select it again`,
    { code: "tool_changed", serverId, toolName },
  );
}
