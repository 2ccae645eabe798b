import { HostsideError, type ToolDefinition } from "@hostside/core";
import type { ToolApprovalStatus } from "ai";
import { resumeOnceApproved } from "../resume-once-approved.ts";
import type { ToolSource } from "../tool-source.ts";
import type { AiSdkOptions, CallToApprove } from "./ai-sdk-options.ts";

/** Who has to approve calls, and which were approved. */
export interface Approvals {
  /** What the AI SDK does with a call. */
  decide(definition: ToolDefinition, call: CallToApprove): Promise<ToolApprovalStatus>;
  /**
   * The source for a call with these arguments: one that was approved and that a policy suspends goes on, so that nobody is asked twice; one that was
   * denied is refused with `call_refused`, which an SDK without `toolApproval` would execute.
   */
  sourceFor(input: unknown, source: ToolSource): ToolSource;
}

/** Makes the approvals of one conversation. */
export function createApprovals({
  needsApproval = ({ requireApproval }) => requireApproval === true,
  approveCall,
}: Pick<AiSdkOptions, "needsApproval" | "approveCall">): Approvals {
  // The AI SDK asks about the very object that it executes a call with, in the request that asks the user and again in the one that brings the
  // answer; what is to be approved it executes in the second alone.
  const decided = new WeakMap<object, string>();
  return {
    async decide(definition, call) {
      const answer = await needsApproval(definition, call);
      const status = typeof answer === "boolean" ? (answer ? "user-approval" : "not-applicable") : answer;
      if (isObject(call.input)) decided.set(call.input, typeOf(status));
      return status;
    },
    sourceFor(input, source) {
      const decision = isObject(input) ? decided.get(input) : undefined;
      if (decision === "denied") return refusing(source);
      const isApproved = decision === "user-approval" || decision === "approved";
      return isApproved && approveCall !== undefined ? resumeOnceApproved(source, approveCall) : source;
    },
  };
}

function refusing(source: ToolSource): ToolSource {
  const refuse = (): Promise<never> =>
    Promise.reject(new HostsideError("the host denied this call", { code: "call_refused" }));
  return { tools: () => source.tools(), call: refuse };
}

/** The status in one word. */
export function typeOf(status: ToolApprovalStatus): string {
  return (typeof status === "string" ? status : status?.type) ?? "not-applicable";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
