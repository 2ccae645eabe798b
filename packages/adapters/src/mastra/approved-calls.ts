import { canonicalJson } from "@hostside/core/implement";
import type { MastraApproval } from "./mastra-options.ts";

/** Which calls of one tool Mastra executes because they were approved. */
export interface ApprovedCalls {
  /** For `requireApproval` of the tool. */
  readonly requireApproval: MastraApproval;
  /** Whether a call that is executed with these arguments was approved before; says so once for each time that it was to be asked about. */
  take(input: unknown): boolean;
}

const mostKept = 256;

/**
 * Follows the approvals of one tool. Mastra does not say with a call whether it was approved; but it executes none that `requireApproval` wanted approved
 * before it was, and asks for it again, with the same arguments, when it goes on. What it was answered last is what counts, and not what a rule
 * would answer now.
 */
export function followApprovals(approval: MastraApproval): ApprovedCalls {
  if (typeof approval === "boolean") return { requireApproval: approval, take: () => approval };
  const asked = new Set<string>();
  return {
    async requireApproval(input, context) {
      const isAsked = await approval(input, context);
      const key = keyOf(input);
      asked.delete(key);
      if (isAsked) asked.add(key);
      // The oldest one gives way. Should it still be executed, the policy holds it.
      for (const oldest of asked) if (asked.size > mostKept) asked.delete(oldest);
      return isAsked;
    },
    take: (input) => asked.delete(keyOf(input)),
  };
}

function keyOf(input: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(input ?? null)));
}
