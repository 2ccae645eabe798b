import type { PolicyParts } from "../refuse.ts";
import type { ReadApprovalOptions, AskedTool, WhyAsked } from "./approval-options.ts";
import type { RememberedApprovals } from "./remembered-approvals.ts";
import type { Suspension } from "./suspend-call.ts";

/** The parts that the approval of one policy shares. */
export interface ApprovalParts {
  readonly settings: ReadApprovalOptions;
  readonly parts: PolicyParts;
  /** Says why somebody is asked before calls of a tool; `undefined` where nobody is. */
  readonly why: (tool: AskedTool) => WhyAsked | undefined;
  readonly suspension: Suspension;
  readonly remembered: RememberedApprovals;
}
