import type { AdmissionServer, CallContext, JsonObject, ToolDefinition, ToolEffect, ToolOrigin } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { assertFunctions } from "../read-options.ts";
import { readSelection, type ToolSelection, type ToolSelector } from "../rules/select-tools.ts";
import type { ToolSubject } from "../rules/tool-subject.ts";

/**
 * Before which calls somebody is asked, besides those that a rule or a definition
 * (`requireApproval`) wants approved: `"none"`, `"all"`, or those of a selection, such as
 * `{ tools: { effect: ["external", "non-idempotent-write"] } }`.
 */
export type ApprovalMode = "none" | "all" | { readonly tools: ToolSelection };

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
  readonly mode: ApprovalMode;
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
  const { mode = "none", handler, timeoutMs = 300_000, suspend, secrets = () => [] } = options;
  assertFunctions("approval.", { handler, secrets });
  assertTime("approval.timeoutMs", timeoutMs);
  return { mode, handler, timeoutMs, secrets, suspend: suspend && readSuspend(suspend) };
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

/** Says why the mode wants a tool approved; `undefined` where it does not. */
export type AskedByMode = (subject: ToolSubject) => WhyAsked | undefined;

const modeFields: Fields<Exclude<ApprovalMode, string>> = { tools: true };

/** Reads a mode. Throws a `TypeError` that names its part for one that makes no sense. */
export function readMode(mode: ApprovalMode): AskedByMode {
  if (mode === "none") return () => undefined;
  if (mode === "all") return () => ({ rule: "approval.mode", why: "every call is to be approved" });
  if (typeof mode === "string")
    throw new TypeError(`approval.mode: ${JSON.stringify(mode)} is none of "none", "all", { tools }`);
  assertKnownOptions("approval.mode", mode, modeFields);
  if (mode.tools === undefined) throw new TypeError("approval.mode names no tool");
  const selections = readSelections(mode.tools);
  return (subject) => {
    const selected = selections.find(({ matcher }) => matcher.matches(subject));
    return selected && { rule: "approval.mode.tools", why: describeSelector(selected.selector, subject) };
  };
}

function readSelections(tools: ToolSelection) {
  const place = "approval.mode.tools";
  readSelection(tools, place);
  const selectors: readonly (string | ToolSelector)[] = Array.isArray(tools) ? tools : [tools];
  return selectors.map((selector) => ({ selector, matcher: readSelection(selector, place) }));
}

/** Says in words, for a person who approves, why a selector means this tool. */
function describeSelector(selector: string | ToolSelector, subject: ToolSubject): string {
  if (typeof selector === "string") return `every call of ${selector} is to be approved`;
  const { effect, new: isNew, requireApproval, labels } = selector;
  const change = subject.effect === "pure" ? "changes nothing" : "may change something";
  const facts = [
    ...(effect === undefined ? [] : [`${change} (effect: ${subject.effect})`]),
    ...(isNew === undefined ? [] : [isNew ? "is new, or has changed" : "is not new"]),
    ...(requireApproval === undefined ? [] : [`has requireApproval: ${requireApproval}`]),
    ...(labels === undefined ? [] : [`is on a server with the label ${[labels].flat().join(" and ")}`]),
  ];
  if (facts.length > 0) return `this tool ${facts.join(", and ")}`;
  const names = [subject.serverId, subject.toolName].filter((name) => name !== "");
  return `every call of ${names.join("/")} is to be approved`;
}
