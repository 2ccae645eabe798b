export { createPolicy, type Policy } from "./policy.ts";
export type { ChangeKind, PolicyEvent, ToolChange } from "./policy-event.ts";
export type { PolicyOptions } from "./policy-options.ts";
export type { ApprovalMode, StricterRules, ToolRule } from "./rules/rule-options.ts";
export { matchGlob } from "./rules/match-glob.ts";
export type { ToolSelection } from "./rules/select-tools.ts";
export { moderateLimits, newToolLimits, type Limit } from "./limits/limit-options.ts";
export type {
  LimitLease,
  LimitRefusal,
  LimitRule,
  LimitStore,
  LimitStoreOutage,
  LimitWant,
} from "./limits/limit-store.ts";
export { createMemoryLimitStore } from "./limits/memory-limit-store.ts";
export { createConnectionGuard, type ConnectionGuardOptions } from "./guard/connection-guard.ts";
export type { HeldTool } from "./admission/create-admission.ts";
export type { Invocation, InvocationResult } from "./invoke/invoke.ts";
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalHandler,
  ApprovalOptions,
  ApprovalQuestion,
} from "./approval/approval-options.ts";
export { toConfirmationRequest, toRejection } from "./approval/pending-call.ts";
export { fitsSchema } from "./validation/create-validation.ts";

// Lock files, for those who write and compare them, such as the conformance kit.
export { diffLocks } from "./pins/diff-locks.ts";
export { formatLock, lockTools, parseLock, type LockedTool, type ToolLock } from "./pins/tool-lock.ts";
