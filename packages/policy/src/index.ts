export type { ApprovalEvent, CallEventBase, CircuitEvent, PinEvent, PolicyEvent, PolicyStage } from "./policy-event.ts";
export { createPolicy, type Policy } from "./policy.ts";
export type { PolicyOptions } from "./policy-options.ts";
export type { RuleAction, RuleLists, RuleOptions, StricterRules, ToolRule, ToolRules } from "./rules/rule-options.ts";
export type { ToolSelection, ToolSelector } from "./rules/select-tools.ts";
export type { Limit, LimitBudget, LimitCost, LimitRate, LimitScope } from "./limits/limit-options.ts";
export { moderateLimits, newToolLimits } from "./limits/limit-presets.ts";
export type {
  LimitLease,
  LimitRefusal,
  LimitRule,
  LimitStore,
  LimitStoreOutage,
  LimitWant,
  Spending,
  Spent,
} from "./limits/limit-store.ts";
export { createMemoryLimitStore, type MemoryLimitStoreOptions } from "./limits/memory-limit-store.ts";
export type { CommandRule } from "./guard/command-rule.ts";
export { createConnectionGuard, type ConnectionGuardOptions } from "./guard/connection-guard.ts";
export { translateRules, type KnownTools, type TranslatedRules } from "./rules/translate-rules.ts";
export type { EffectOptions, EffectRule } from "./effects/create-effects.ts";
export type { AdmissionTarget } from "./admission/admission-targets.ts";
export type { AdmissionDecision, ApprovalResult, HeldTool } from "./admission/tool-admission.ts";
export type { PinOptions, Unpinned } from "./pins/pin-options.ts";
export type { ChangeKind, ToolChange } from "./pins/tool-change.ts";
export type { LockedTool, ToolLock } from "./pins/tool-lock.ts";
export { moderateBreaker, type BreakerOptions } from "./breaker/breaker-options.ts";
export type { CircuitState } from "./breaker/circuit.ts";
export { type CircuitStatus } from "./breaker/create-breaker.ts";
export type { RetryOptions } from "./retry/create-retry.ts";
export type { InvokeTarget } from "./invoke/invoke.ts";
export type {
  Invocation,
  InvocationError,
  InvocationErrorCode,
  InvocationOrigin,
  InvocationResult,
} from "./invoke/invocation.ts";
export type {
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalHandler,
  ApprovalMode,
  ApprovalOptions,
  ApprovalQuestion,
  SuspendOptions,
} from "./approval/approval-options.ts";
export type { ApprovalScope, ConversationScope, RememberedFor } from "./approval/remembered-approvals.ts";
export { toConfirmationRequest, toRejection, type ConfirmationRequest } from "./approval/confirmation-request.ts";
export type { RedactionOptions } from "./redaction/create-redaction.ts";
export { fitsSchema, type ValidationMode, type ValidationOptions } from "./validation/create-validation.ts";
export { outputProblemsKey } from "./validation/output-problems.ts";
export type { CacheOptions } from "./cache/create-result-cache.ts";
