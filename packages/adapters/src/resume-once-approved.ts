import { isHostsideError, type SuspendedCall } from "@hostside/core";
import type { ToolSource } from "./tool-source.ts";

/**
 * A source for one call that somebody has approved already, where the framework asks: when a policy suspends the call, `approveCall` gives
 * the token by which it goes on, so that nobody is asked twice. The call did not run before it was suspended, and the policy lets it go on
 * with these very arguments alone.
 */
export function resumeOnceApproved(source: ToolSource, approveCall: (suspended: SuspendedCall) => string): ToolSource {
  return {
    tools: () => source.tools(),
    async call(name, args, options) {
      try {
        return await source.call(name, args, options);
      } catch (error) {
        if (!isHostsideError(error, "approval_required") || error.details.approval === undefined) throw error;
        const approval = approveCall(error.details.approval);
        return await source.call(name, args, { ...options, context: { ...options?.context, approval } });
      }
    },
  };
}
