import { HostsideError, type ErrorDetails, type ToolCall, type HostsideErrorCode } from "@hostside/core";
import { dateOf, quoteText, withoutApproval } from "@hostside/core/implement";
import type { CallEventBase, PolicyStage } from "./policy-event.ts";
import type { PolicyParts } from "./policy-parts.ts";
import { effectOfDefinition } from "./rules/tool-subject.ts";

/** A no, before anything was sent. */
export interface PolicyRefusal {
  readonly stage: PolicyStage;
  readonly code: HostsideErrorCode;
  /**
   * Why, after a name for the call: `is denied by deny[2]`. Without arguments and without texts of
   * a server.
   */
  readonly reason: string;
  /** Which rule or limit decided, as the product wrote or named it. */
  readonly rule: string;
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

/** Tells that a call is refused, and returns the error to throw. */
export function refuseCall(
  call: ToolCall,
  { stage, code, reason, rule, details, cause }: PolicyRefusal,
  parts: Pick<PolicyParts, "clock" | "emit" | "effectOf">,
): HostsideError {
  const { serverId, toolName } = call.origin;
  const owner = serverId === "" ? "" : ` on ${JSON.stringify(serverId)}`;
  parts.emit({ type: "refused", ...callEvent(call, parts), stage, code, reason }, call);
  return new HostsideError(`call of ${quoteText(toolName)}${owner} ${reason}`, {
    code,
    serverId: serverId || undefined,
    toolName,
    outcome: "not-sent",
    details: { ...details, policy: rule },
    cause,
  });
}

/** What every event about a call has. */
export function callEvent(
  { origin, definition, server, options }: ToolCall,
  { clock, effectOf = effectOfDefinition }: Pick<PolicyParts, "clock" | "effectOf">,
): CallEventBase {
  return { origin, effect: effectOf(definition, server), context: withoutApproval(options.context), at: dateOf(clock) };
}
