import { isHostsideError, HostsideError, type CallOutcome, type ToolCall } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/** Why a call cannot wait any longer: what its signal says, or that its caller has given it up. */
export function stoppedCall({ origin, options }: ToolCall, outcome: CallOutcome): HostsideError {
  const reason: unknown = options.signal?.reason;
  if (isHostsideError(reason)) return reason;
  const owner = origin.serverId === "" ? "" : ` on ${JSON.stringify(origin.serverId)}`;
  return new HostsideError(`call of ${quoteText(origin.toolName)}${owner} was aborted`, {
    code: "aborted",
    serverId: origin.serverId || undefined,
    toolName: origin.toolName,
    outcome,
    cause: reason,
  });
}
