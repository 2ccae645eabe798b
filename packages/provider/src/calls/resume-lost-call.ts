import {
  isHostsideError,
  readContent,
  type LostCall,
  type ToolOutcome,
  type HostsideError,
  type JsonObject,
  type ToolOrigin,
} from "@hostside/core";
import { withErrorContext, isJsonObject, withoutHalves } from "@hostside/core/implement";
import type { Session } from "../link/sessions.ts";
import type { HandCall } from "./pending-call.ts";

/** A call whose session was lost, and which its server goes on with. */
export interface FailedCallToResume {
  readonly lost: LostCall;
  /** The error for its caller if nothing more is heard of it. */
  readonly error: HostsideError;
}

/** How a call gets on. */
export interface ResumeSteps {
  /** Waits for a session, and for a turn. */
  readonly enter: () => Promise<Session>;
  readonly send: (session: Session, hand: HandCall) => Promise<ToolOutcome>;
}

const mostSessions = 3;
const invalidParams = -32_602;

/**
 * Asks a server over its next session what became of a call that it goes on with by itself. The
 * call is not sent again. Where there is no other session in its time, or the server does not know
 * of it any more, it fails as it was lost, with an unknown outcome.
 */
export async function resumeLostCall(
  { lost: first, error }: FailedCallToResume,
  { enter, send }: ResumeSteps,
): Promise<ToolOutcome> {
  let lost = first;
  for (let attempt = 1; attempt <= mostSessions; attempt += 1) {
    const session = await enter().catch((reason: unknown) => {
      throw isCallers(reason) ? withErrorContext(reason, { outcome: "unknown", retryable: false }) : error;
    });
    const current = lost;
    try {
      return await send(session, async (connection, _call, wire) => {
        if (connection.resumeCall === undefined) throw error;
        return connection.resumeCall(current, wire);
      });
    } catch (reason) {
      const next = session.connection.lostCall?.(reason);
      if (next === undefined) throw isSaying(reason) ? reason : error;
      lost = next;
    }
  }
  throw error;
}

// The caller has had enough.
function isCallers(reason: unknown): reason is HostsideError {
  return isHostsideError(reason, "aborted") || isHostsideError(reason, "call_timeout");
}

/** Says whether an error says more of the call than that its session was lost. */
function isSaying(reason: unknown): boolean {
  return isHostsideError(reason) && reason.outcome !== "not-sent" && reason.details.rpcCode !== invalidParams;
}

/**
 * A raw `tools/call` result as an outcome: content as {@linkcode readContent} has it, the
 * `toolResult` of 2024-10-07 as a text, and otherwise nothing is changed or invented; what the
 * server said is `raw`.
 */
export function toOutcome(raw: JsonObject, origin: ToolOrigin): ToolOutcome {
  const { structuredContent, isError, _meta: meta } = raw;
  const content = raw["content"] ?? readToolResult(raw);
  // Most have content alone, and are made without the spreads, which cost as much as all the rest.
  if (structuredContent === undefined && meta === undefined) {
    return { content: readContent(content), isError: saysFailed(isError), origin, raw };
  }
  return {
    content: readContent(content),
    ...(structuredContent !== undefined && { structuredContent }),
    isError: saysFailed(isError),
    origin,
    ...(isJsonObject(meta) && { meta }),
    raw,
  };
}

// Servers write `"true"` and `1`, too: a failure must not pass for a success.
function saysFailed(isError: unknown): boolean {
  return Boolean(isError) && isError !== "false";
}

function readToolResult({ toolResult }: JsonObject): unknown {
  return toolResult === undefined || typeof toolResult === "string"
    ? toolResult
    : withoutHalves(JSON.stringify(toolResult));
}
