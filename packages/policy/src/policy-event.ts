import type { ToolChange } from "./pins/diff-locks.ts";
import type { CallContext, ToolEffect, ToolOrigin, HostsideErrorCode } from "@hostside/core";

/** The stages of a policy that decide over a call. */
export type PolicyStage =
  | "rules"
  | "pins"
  | "input"
  | "approval"
  | "limits"
  | "retry"
  | "breaker"
  | "cache"
  | "output"
  | "redaction";

/** What every event about a call has. No arguments and no result: those are the conversation's. */
export interface CallEventBase {
  readonly origin: ToolOrigin;
  readonly effect: ToolEffect;
  /** As the caller gave it. */
  readonly context: CallContext | undefined;
  /** Milliseconds since 1970, by the clock of the policy. */
  readonly at: number;
}

/** What a policy tells: each decision, with its reason in words. */
export type PolicyEvent =
  | (CallEventBase & { readonly type: "invoked" })
  | (CallEventBase & { readonly type: "succeeded"; readonly durationMs: number; readonly attempts: number })
  | (CallEventBase & {
      readonly type: "failed";
      readonly durationMs: number;
      readonly attempts: number;
      /** Absent: the tool itself says that it failed. */
      readonly code?: HostsideErrorCode;
    })
  /** A stage said no, and nothing was sent. */
  | (CallEventBase & {
      readonly type: "refused";
      readonly stage: PolicyStage;
      readonly code: HostsideErrorCode;
      readonly reason: string;
    })
  /** A stage let the call pass for a reason worth knowing, changed it, or answered it. */
  | (CallEventBase & { readonly type: "applied"; readonly stage: PolicyStage; readonly reason: string })
  /**
   * Something that the product gave (a handler, a store, a detector) threw, hung or answered
   * rubbish.
   */
  | (Partial<CallEventBase> & {
      readonly type: "part-failed";
      readonly at: number;
      readonly part: string;
      readonly error: unknown;
    })
  /** Such a part, of which it is known when it works again, does. */
  | { readonly type: "part-restored"; readonly at: number; readonly part: string }
  | ApprovalEvent
  | CircuitEvent
  | PinEvent;

/**
 * Somebody is asked about a call, or has answered. Neither the arguments nor what an answer says in
 * words are in it.
 */
export type ApprovalEvent =
  | (CallEventBase & { readonly type: "approval-asked"; readonly rule: string; readonly reason: string })
  | (CallEventBase & {
      readonly type: "approval-answered";
      readonly decision: "once" | "conversation" | "always" | "no" | "suspend";
      /**
       * `human`: who was asked now; `memory`: an earlier answer, or one to another question that
       * holds for this one.
       */
      readonly by: "human" | "memory";
      /** Why it counts for less than what was answered. */
      readonly reason?: string;
    })
  | (CallEventBase & { readonly type: "approval-suspended" | "approval-resumed"; readonly id: string });

/** The state of a breaker changed. */
export interface CircuitEvent {
  readonly type: "circuit-opened" | "circuit-half-opened" | "circuit-closed";
  readonly at: number;
  readonly serverId: string;
  /** Absent: the breaker is for the whole server. */
  readonly toolName?: string;
  /** How long it stays open, in milliseconds. */
  readonly openMs?: number;
  readonly reason: string;
}

/** What was found out about the tools of one server, in one event however many there are. */
export interface PinEvent {
  /**
   * `"tools-drifted"`: some are not what was pinned, and held back, perhaps with others;
   * `"tools-held"`: held back for another reason, such as being new; `"tools-approved"`,
   * `"tools-revoked"`: somebody did; `"tools-trusted"`: it was the first use of the server.
   */
  readonly type: "tools-drifted" | "tools-held" | "tools-approved" | "tools-revoked" | "tools-trusted";
  readonly at: number;
  readonly serverId: string;
  /** Remote names, sorted. */
  readonly tools: readonly string[];
  /**
   * What changed, where that is known; at most 500 changes. Texts in them are the server's:
   * untrusted.
   */
  readonly changes?: readonly ToolChange[];
  readonly reason: string;
}
