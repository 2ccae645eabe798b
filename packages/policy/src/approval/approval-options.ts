import type { AdmissionServer, CallContext, JsonObject, ToolDefinition, ToolEffect, ToolOrigin } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { assertFunctions } from "../read-options.ts";
import type { ApprovalMode } from "../rules/rule-options.ts";

/**
 * The scope of an answer: `"once"` this call; `"conversation"` every call of this tool in this
 * conversation, `"always"` every call of it, both for this principal, as long as the tool has this
 * fingerprint and no worse effect; `"no"` the call is refused; `"suspend"` it is refused for now,
 * and can be approved later (with {@linkcode ApprovalOptions.suspend}).
 */
export type ApprovalDecision = "once" | "conversation" | "always" | "no" | "suspend";

/**
 * The answer of a handler: a decision, or one with the human's own words; or `"none"`, because it
 * could ask nobody this time: the call is then suspended or refused as without a handler, with the
 * reason, if there is one.
 */
export type ApprovalAnswer =
  | ApprovalDecision
  | { readonly decision: ApprovalDecision | "none"; readonly reason?: string };

/**
 * The question to a person. Frozen; nothing in it can be changed before the call runs, and the call
 * runs with exactly this.
 */
export interface ApprovalQuestion {
  readonly tool: ToolOrigin;
  /** The very definition that the model was shown, and that will run. Its texts are a server's. */
  readonly definition: ToolDefinition;
  /** The server in the host's own words. Absent for a tool that is on no server. */
  readonly server: AdmissionServer | undefined;
  /**
   * The arguments that will be sent: a copy of the arguments, with the members of every object in
   * the order of their names.
   */
  readonly args: JsonObject;
  /** The effect of a call. */
  readonly effect: ToolEffect;
  /** Which rule wants that somebody is asked, in words. */
  readonly why: string;
  /** The question in one line, such as ``Approve execution of tool `X`?``. */
  readonly hint: string;
  /**
   * The call in lines that any display can show: server, tool, effect and arguments, quoted, with
   * unseen characters escaped, and whole, or with what is left out counted.
   */
  readonly shown: readonly string[];
  readonly context: Omit<CallContext, "approval"> | undefined;
  /**
   * The answers that make sense here: `"always"` needs a fingerprint, `"conversation"` a
   * conversation in the context besides.
   */
  readonly answers: readonly ApprovalDecision[];
  /** How long the answer is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Aborts when no answer counts any more: the time is up, the call is over, or an answer to
   * another question holds for this one.
   */
  readonly signal: AbortSignal;
}

/** Asks somebody. A handler that throws or answers anything else has refused the call. */
export type ApprovalHandler = (question: ApprovalQuestion) => Promise<ApprovalAnswer>;

/** Suspending calls until somebody approves them, here or in another process. */
export interface SuspendOptions {
  /**
   * The secret that approvals are signed with: 32 bytes or more, the same in every process that
   * approves or resumes. If there are several, the first one signs and all are accepted, so that
   * one can replace another.
   */
  readonly key: Uint8Array | readonly Uint8Array[];
  /**
   * For how long a suspended call can be approved and resumed, in milliseconds. Default a day; at
   * most 30.
   */
  readonly ttlMs?: number | undefined;
}

/** Which calls a human has to approve, and how they are asked. */
export interface ApprovalOptions {
  /** Default `"none"`: only what rules and definitions ask for. */
  readonly mode?: ApprovalMode | undefined;
  /**
   * Default: nobody can be asked, and a call that needs approval is suspended or refused with
   * `approval_required`.
   */
  readonly handler?: ApprovalHandler | undefined;
  /**
   * How long an answer is waited for, in milliseconds. Default 300,000. The time of the call stands
   * still meanwhile, for `elicitTotalMs` of its server's timeouts at most, 15 minutes by default;
   * what is beyond that counts.
   */
  readonly timeoutMs?: number | undefined;
  /** Default: nothing is suspended. */
  readonly suspend?: SuspendOptions | undefined;
  /**
   * The host's own secrets: `shown` of a question has them masked, where they have 8 characters or
   * more and no blanks. `createHost()` gives those of its servers. Default: everything is shown.
   */
  readonly secrets?: (() => readonly string[]) | undefined;
}

/** Options that were read, with their defaults. */
export interface ReadApprovalOptions {
  readonly handler: ApprovalHandler | undefined;
  readonly timeoutMs: number;
  readonly secrets: () => readonly string[];
  readonly suspend: { readonly keys: readonly Uint8Array[]; readonly ttlMs: number } | undefined;
}

/** A day, in milliseconds. */
export const dayMs = 86_400_000;
/** All that a person can decide. */
export const approvalDecisions: readonly ApprovalDecision[] = ["once", "conversation", "always", "no", "suspend"];

const optionFields: Fields<ApprovalOptions> = {
  mode: true,
  handler: true,
  timeoutMs: true,
  suspend: true,
  secrets: true,
};
const suspendFields: Fields<SuspendOptions> = { key: true, ttlMs: true };

/** Checks the options, and fills in the defaults. Throws a `TypeError` that names the option. */
export function readApprovalOptions(options: ApprovalOptions): ReadApprovalOptions {
  assertKnownOptions("approval", options, optionFields);
  const { handler, timeoutMs = 300_000, suspend, secrets = () => [] } = options;
  assertFunctions("approval.", { handler, secrets });
  assertTime("approval.timeoutMs", timeoutMs);
  return { handler, timeoutMs, secrets, suspend: suspend && readSuspend(suspend) };
}

function readSuspend(suspend: SuspendOptions): ReadApprovalOptions["suspend"] {
  assertKnownOptions("approval.suspend", suspend, suspendFields);
  const { key, ttlMs = dayMs } = suspend;
  assertTime("approval.suspend.ttlMs", ttlMs);
  const given: readonly unknown[] = Array.isArray(key) ? key : [key];
  // A copy, because a caller may wipe its own.
  const keys = given.map((one) => {
    if (one instanceof Uint8Array && one.length >= 32) return Uint8Array.from(one);
    throw new TypeError("approval.suspend.key must be a Uint8Array of 32 bytes or more, or a list of them");
  });
  if (keys.length === 0) throw new TypeError("approval.suspend.key is an empty list");
  return { keys, ttlMs };
}

function assertTime(field: string, ms: number): void {
  if (typeof ms === "number" && ms > 0 && ms <= 30 * dayMs) return;
  throw new TypeError(`${field} must be a number of milliseconds above 0, at most 30 days`);
}

/** A tool that somebody may have to be asked about. A call is one. */
export interface AskedTool {
  readonly definition: ToolDefinition;
  readonly server?: AdmissionServer | undefined;
}

/** Why a call has to be approved. */
export interface WhyAsked {
  /** The rule as the product wrote it. */
  readonly rule: string;
  /** In words, for people. */
  readonly why: string;
}
