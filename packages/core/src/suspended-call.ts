import type { CallContext } from "./call-context.ts";
import type { JsonObject } from "./json.ts";
import type { ToolDefinition, ToolEffect } from "./tool.ts";

/**
 * A call that waits for somebody's approval, as plain JSON: it can be kept, shown somewhere else,
 * and approved there by the policy that made it or one with the same key. It approves nothing by
 * itself. It has the arguments of the call: it belongs where the conversation is kept, and into no
 * log.
 */
export interface SuspendedCall {
  /** Unique; for one call, which resumes once at most. */
  readonly id: string;
  /** Empty for a tool that is on no server. */
  readonly serverId: string;
  /**
   * The registration of the server: the call goes on at no other one. `null` where it is not known.
   */
  readonly registration: string | null;
  /**
   * The remote name, byte for byte. Untrusted when it comes from a server, and to be cleaned before
   * it is shown.
   */
  readonly toolName: string;
  /** The name that the model called it by. */
  readonly localName: string;
  /**
   * The fingerprint of the definition that was asked about: the call goes on with no other one.
   * `null` when it has none.
   */
  readonly fingerprint: string | null;
  /**
   * The identity where there is no fingerprint: a hash of what the model was shown of the tool.
   * `null` when there is one.
   */
  readonly definition: string | null;
  readonly effect: ToolEffect;
  /** As they will be sent: with the members of every object in the order of their names. */
  readonly args: JsonObject;
  /** The question in one line, fit to be shown. */
  readonly hint: string;
  /** Which rule wants that somebody is asked, in words. */
  readonly why: string;
  /** As the caller gave it. */
  readonly context: Omit<CallContext, "approval">;
  /** Milliseconds since 1970. */
  readonly suspendedAt: number;
  /** From then on nothing approves it any more. Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Shows the policy that it made this, and that nobody changed it. */
  readonly seal: string;
}

/**
 * Why an approval did not count: somebody said no, nobody answered in time, or a token is not for
 * this call now.
 */
export type ApprovalDenial =
  | "rejected"
  | "unanswered"
  | "forged"
  | "expired"
  | "used"
  | "unasked"
  | "other-tool"
  | "other-arguments"
  | "other-caller";

/** A call that a framework asks a person about. */
export interface AskedCall {
  /** The id that the model gave the call. Empty where the framework does not tell it. */
  readonly id: string;
  /** As the model was shown the tool. */
  readonly definition: ToolDefinition;
  /** As they will be sent. */
  readonly args: unknown;
  /** The context that the call will have, beside the one of its conversation. */
  readonly context?: CallContext | undefined;
}

/**
 * Lets a framework ask for approvals in place of a handler of the policy. An approval holds once,
 * for exactly the call that was noted: its id, tool, arguments, principal and conversation.
 */
export interface FrameworkApproval {
  /** Whether the framework asks before calls of a tool. `false` where the policy has a handler. */
  requires(definition: ToolDefinition): boolean;
  /**
   * Notes that a person is asked about a call now, and resolves with what to show: `shown` and
   * `effect` of `ApprovalQuestion`. Never rejects: a failed store refuses the call.
   */
  note(call: AskedCall): Promise<{ readonly shown: readonly string[]; readonly effect: ToolEffect }>;
  /**
   * The token of the person's answer, for `context.approval` of the call. The policy refuses the
   * call with `approval_denied` for `"no"`, and where it was not noted, was used, or has expired.
   * `undefined` for arguments that are no JSON object: the call says what is wrong with them.
   */
  answer(call: AskedCall, decision: "once" | "no"): string | undefined;
}
