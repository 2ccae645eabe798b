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

/** Members of every event about a call. No arguments and no result: they are the conversation's. */
export interface CallEventBase {
  readonly origin: ToolOrigin;
  readonly effect: ToolEffect;
  /** As the caller gave it. */
  readonly context: CallContext | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Events of a policy: each decision, with its reason in words. */
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

/** News about the tools of one server, in one event however many there are. */
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
   * The changes, where they are known; at most 500 changes. Texts in them are the server's:
   * untrusted.
   */
  readonly changes?: readonly ToolChange[];
  readonly reason: string;
}

/**
 * The meaning of a change to those who use a server: `breaking`, calls or prompts that worked may
 * not work any more; `security`, what a model is told or a person has approved is another thing
 * now; `compatible`, neither.
 */
export type ChangeKind = "breaking" | "security" | "compatible";

/** One difference between two locks. */
export interface ToolChange {
  readonly kind: ChangeKind;
  /** The tool; absent when it is about the server. */
  readonly tool?: string;
  /** The place in the definition, such as `inputSchema.properties.path`. */
  readonly path: string;
  /** The change, as a clause. */
  readonly what: string;
}
