import type { PolicyParts } from "../policy-parts.ts";
import { callEvent } from "../refuse.ts";
import { isWorseEffect } from "../effects/worse-effect.ts";
import type { PendingApproval } from "./pending-call.ts";
import type { ApprovalScope, RememberedTool, RememberedApprovals, RememberedFor } from "./remembered-approvals.ts";

/**
 * Remembered answers as calls see them: a store that fails costs a question more, and never lets
 * anything run.
 */
export interface KeptApprovals {
  /** Whether an earlier answer holds for the call. */
  approves(pending: PendingApproval): Promise<boolean>;
  /** Keeps an answer to a call, which has a fingerprint. */
  keep(kind: RememberedFor, pending: PendingApproval): Promise<void>;
  /** Whether an answer to one call, remembered for `kind`, would hold for another one. */
  holdsFor(kind: RememberedFor, answered: PendingApproval, other: PendingApproval): boolean;
}

/** Puts remembered answers before calls. */
export function keepApprovals(remembered: RememberedApprovals, parts: PolicyParts): KeptApprovals {
  const report = ({ call }: PendingApproval, error: unknown): void =>
    parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "store", error }, call);
  return {
    async approves(pending) {
      const tool = toolOf(pending);
      if (tool === undefined) return false;
      try {
        const kind = await remembered.find(scopeOf(pending), tool);
        if (kind === undefined) return false;
        parts.emit(
          { type: "approval-answered", ...callEvent(pending.call, parts), decision: kind, by: "memory" },
          pending.call,
        );
        return true;
      } catch (error) {
        report(pending, error);
        return false;
      }
    },
    async keep(kind, pending) {
      const tool = toolOf(pending);
      // What no later call could be found by.
      if (tool === undefined || (kind === "conversation" && scopeOf(pending).conversation === undefined)) return;
      try {
        await remembered.keep(kind, scopeOf(pending), tool);
      } catch (error) {
        report(pending, error);
      }
    },
    holdsFor(kind, answered, other) {
      const [a, b] = [scopeOf(answered), scopeOf(other)];
      return (
        a.serverId === b.serverId &&
        a.toolName === b.toolName &&
        a.principal === b.principal &&
        (kind === "always" || a.conversation === b.conversation) &&
        toolOf(answered)?.fingerprint === toolOf(other)?.fingerprint &&
        toolOf(answered)?.registration === toolOf(other)?.registration &&
        !isWorseEffect(other.effect, answered.effect)
      );
    },
  };
}

function scopeOf({ call: { origin, options } }: PendingApproval): ApprovalScope {
  const { principal, conversation } = options.context ?? {};
  return { serverId: origin.serverId, toolName: origin.toolName, principal, conversation };
}

function toolOf({ call: { definition, server }, effect }: PendingApproval): RememberedTool | undefined {
  const { fingerprint } = definition;
  return fingerprint === undefined ? undefined : { registration: server?.registration, fingerprint, effect };
}
