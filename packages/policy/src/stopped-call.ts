import { isToolportError, ToolportError, type CallOutcome, type ToolCall } from "@toolport/core";
import { quoteText } from "@toolport/core/implement";

/** Why a call cannot wait any longer: what its signal says, or that its caller has given it up. */
export function stoppedCall({ origin, options }: ToolCall, outcome: CallOutcome): ToolportError {
  const reason: unknown = options.signal?.reason;
  if (isToolportError(reason)) return reason;
  const owner = origin.serverId === "" ? "" : ` on ${JSON.stringify(origin.serverId)}`;
  return new ToolportError(`call of ${quoteText(origin.toolName)}${owner} was aborted`, {
    code: "aborted",
    serverId: origin.serverId || undefined,
    toolName: origin.toolName,
    outcome,
    cause: reason,
  });
}
