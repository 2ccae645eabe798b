import { isHostsideError, HostsideError, type CallOptions, type ToolOrigin, type ToolOutcome } from "@hostside/core";
import { createDeadline, formatMs, readCallArguments, sameDefinition } from "@hostside/core/implement";
import type { Clock } from "@hostside/core";
import type { AuthenticateTool } from "./live-tools.ts";
import type { SignInAnswer, SignIns } from "./sign-in.ts";

/** What a call needs. */
export interface CallAuthenticateToolInit {
  readonly signIns: SignIns;
  readonly closing: AbortSignal;
  readonly clock: Clock;
}

/**
 * How long a call may take that does not say: as long as an authorization that was begun can be
 * completed.
 */
export const longestCallMs = 600_000;

/**
 * Calls a tool. Rejects with `tool_changed`, `invalid_arguments`, `call_timeout`, `aborted` and
 * `closed`; everything else is an answer.
 */
export async function callAuthenticateTool(
  tool: AuthenticateTool,
  { args, options }: { readonly args: unknown; readonly options: CallOptions },
  { signIns, closing, clock }: CallAuthenticateToolInit,
): Promise<ToolOutcome> {
  const { selected, timeoutMs = longestCallMs, signal, deadline: outer } = options;
  const { name } = tool.definition;
  if (selected !== undefined && !sameDefinition(selected, tool.definition)) throw changedError(tool);
  const origin = { serverId: "", toolName: name, qualifiedName: `local::${name}` };
  if (Object.keys(readCallArguments(args, origin)).length > 0) {
    return toOutcome({ text: `${name} takes no arguments: call it with {}.`, isError: true }, origin);
  }
  const ending = signal === undefined ? closing : AbortSignal.any([signal, closing]);
  const onTimeout = (): HostsideError => lateError(tool, timeoutMs);
  const deadline = createDeadline({ timeoutMs, signal: ending, outer, onTimeout, clock });
  try {
    return toOutcome(await signIns.signIn(tool.server, deadline.signal), origin);
  } catch (error) {
    throw isHostsideError(error) ? error : abortedError(tool, error);
  } finally {
    deadline.dispose();
  }
}

function toOutcome({ text, isError }: SignInAnswer, origin: ToolOrigin): ToolOutcome {
  const content = [{ type: "text", text }] as const;
  return { content, isError, origin, raw: { content, isError } };
}

function changedError({ definition: { name } }: AuthenticateTool): HostsideError {
  return new HostsideError(`the tool ${name} is not the one that was selected; select it again`, {
    code: "tool_changed",
    toolName: name,
  });
}

function lateError({ server, definition }: AuthenticateTool, timeoutMs: number): HostsideError {
  return new HostsideError(`${definition.name}: the user did not sign in within ${formatMs(timeoutMs)}`, {
    code: "call_timeout",
    serverId: server.serverId,
    toolName: definition.name,
  });
}

function abortedError({ server, definition }: AuthenticateTool, reason: unknown): HostsideError {
  return new HostsideError(`${definition.name} was aborted`, {
    code: "aborted",
    serverId: server.serverId,
    toolName: definition.name,
    cause: reason,
  });
}
