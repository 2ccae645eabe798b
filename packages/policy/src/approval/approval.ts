import {
  cleanText,
  type AdmissionServer,
  type AskedCall,
  type CallContext,
  type FrameworkApproval,
  type Interceptor,
  type ToolCall,
  type ToolDefinition,
  type HostsideError,
} from "@hostside/core";
import { isJsonObject, isPlainObject, sameDefinition, sameJson, withoutApproval } from "@hostside/core/implement";
import { type PolicyParts, callEvent, stoppedCall, tellFailed } from "../refuse.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { dayMs, readApprovalOptions, type ApprovalOptions, type AskedTool, type WhyAsked } from "./approval-options.ts";
import {
  type ApprovalDenial,
  type ApprovalGrant,
  createSuspension,
  type QuestionOfFramework,
  type TokenLook,
} from "./suspend-call.ts";
import { createApprovalAsking, rejectedError, type ApprovalParts } from "./ask-about-call.ts";
import { copyArguments, refuseApproval, showCall, type PendingApproval } from "./pending-call.ts";
import {
  createRememberedApprovals,
  type ApprovalScope,
  type ConversationScope,
  type RememberedFor,
} from "./remembered-approvals.ts";

/** Says by the rules of the policy why somebody has to approve calls of a tool. */
export type AskedByRules = (tool: AskedTool) => WhyAsked | undefined;

/** The approval of calls by a human. */
export interface Approval {
  /**
   * Lets a call pass to a stage when somebody approved it, or nobody has to. It runs with the
   * definition and the arguments that were shown. The stage may still refuse the call, or send it
   * more than once. The token of a suspended call is used up when that stage sends the call for the
   * first time, or has answered it, and not by a refusal: the call can then be repeated with it.
   *
   * Throws `approval_denied` for a no, for no answer in time, and for a token that does not count,
   * `details.denied` says which; `approval_required` when nobody can be asked now, with
   * `details.approval` where the call can be approved later; `call_refused` when a part failed;
   * `tool_changed` when the caller selected another definition; `invalid_arguments` for what JSON
   * cannot write; `overloaded`.
   */
  around(stage: Interceptor): Interceptor;
  /**
   * Tells whether somebody is asked before a call of the tool, for those who show it. Remembered
   * answers do not count.
   */
  requiresApproval(definition: ToolDefinition, server?: AdmissionServer): boolean;
  /** Says why somebody is asked before calls of a tool; `undefined` where nobody is. */
  why(tool: AskedTool): WhyAsked | undefined;
  /** Lets a framework ask about the calls of one conversation. */
  forFramework(framework: ApprovalOfFramework): FrameworkApproval;
  /**
   * The token by which a suspended call goes on, for `context.approval` of the very same call;
   * once, however many tokens there are for it. `remember`: what the approval also holds for.
   * Throws `approval_denied` for what this policy, or one with its key, has not suspended, and for
   * what has expired; `TypeError` when nothing is suspended here at all.
   */
  approve(suspended: unknown, options?: { readonly remember?: RememberedFor | undefined }): string;
  /**
   * The token by which a suspended call is refused as rejected by the user, and can never go on.
   * Throws as {@linkcode Approval.approve} does.
   */
  reject(suspended: unknown): string;
  /**
   * Takes back what was remembered for a tool; with `conversation`, for that as well. With
   * `conversation` and no tool, all that was remembered for that conversation, of this principal,
   * and all its calls that wait for an approval: for when it is over. Rejects as the store does, and
   * with a `TypeError` for what names neither a tool nor a conversation.
   */
  forget(scope: ApprovalScope | ConversationScope): Promise<void>;
}

/**
 * Makes the approval of one policy. Throws a `TypeError` that names the option for options that
 * make no sense.
 */
export function createApproval(options: ApprovalOptions, parts: PolicyParts, asks: AskedByRules): Approval {
  const settings = readApprovalOptions(options);
  const suspension = createSuspension({ ttlMs: dayMs, ...settings.suspend, parts });
  const why = (tool: AskedTool): WhyAsked | undefined =>
    asks(tool) ?? (tool.definition.requireApproval === true ? ofDefinition : undefined);
  const decide = (suspended: unknown, decision: ApprovalGrant["decision"]): string => {
    if (settings.suspend !== undefined) return suspension.decide(suspended, decision);
    throw new TypeError("approval.suspend is not set: this policy suspends no calls");
  };
  const remembered = createRememberedApprovals(parts);
  const shared: ApprovalParts = { settings, parts, why, suspension, remembered };
  return {
    around: createAround(shared),
    why,
    requiresApproval: (definition, server) => why({ definition, server }) !== undefined,
    forFramework: (framework) => createFrameworkApproval(framework, shared),
    approve(suspended, { remember = "once" }: { readonly remember?: RememberedFor | "once" | undefined } = {}) {
      if (["once", "conversation", "always"].includes(remember)) return decide(suspended, remember);
      throw new TypeError('remember must be "conversation" or "always"');
    },
    reject: (suspended) => decide(suspended, "no"),
    async forget(scope) {
      assertScope(scope);
      if ("toolName" in scope) return remembered.forget(scope);
      const forgotten = await Promise.allSettled([remembered.forget(scope), suspension.forget(scope)]);
      for (const one of forgotten) if (one.status === "rejected") throw one.reason;
    },
  };
}

function assertScope(scope: unknown): void {
  const { serverId, toolName, conversation } = isPlainObject(scope) ? scope : {};
  const isTool = typeof serverId === "string" && typeof toolName === "string";
  const isConversation = typeof conversation === "string" && serverId === undefined && toolName === undefined;
  if (isTool || isConversation) return;
  throw new TypeError(
    "policy.forget() takes { serverId, toolName, principal } for what was remembered of a tool, or { conversation, principal } for a conversation; a principal alone is not enough",
  );
}

const byToken: WhyAsked = { rule: "approval.suspend", why: "the call was suspended" };
const ofDefinition: WhyAsked = { rule: "requireApproval", why: "the definition of the tool says so" };

function createAround(shared: ApprovalParts): Approval["around"] {
  const { settings, parts, remembered } = shared;
  const ask = settings.handler && createApprovalAsking(settings.handler, shared);
  return (stage) => {
    const around: Interceptor = async (call, next) => {
      const token = call.options.context?.approval;
      // A call that brings a token goes on once, whether or not somebody would still be asked about
      // it.
      const why = shared.why(call) ?? (token === undefined || settings.suspend === undefined ? undefined : byToken);
      if (why === undefined) return stage(token === undefined ? call : { ...call, options: plainOptions(call) }, next);
      const selected = holdToDefinition(call);
      if (selected === undefined) {
        const reason = "was selected by a definition that is not the current one; select it again";
        throw refuseApproval({ call, why }, { code: "tool_changed", reason }, parts);
      }
      const copied = copyArguments(call.args);
      if (copied === undefined) {
        const reason = "has arguments that cannot be shown: they are no JSON, or nested too deep";
        throw refuseApproval({ call, why }, { code: "invalid_arguments", reason }, parts);
      }
      const { effect } = toolSubject(call.definition, call.server, parts);
      const pending: PendingApproval = { call, ...copied, why, effect };
      const useUp = token && (await resume(pending, token, shared));
      if (!useUp && !(await remembered.approves(pending))) {
        const verdict = await ask?.(pending);
        if (verdict !== "run") throw await requiredError(pending, verdict, shared);
      }
      const shown = { ...call, args: pending.args, options: { ...plainOptions(call), selected } };
      if (!useUp) return stage(shown, next);
      const outcome = await stage(shown, async (sent) => {
        await useUp();
        return next(sent);
      });
      // A stage that answered without sending the call has answered what was approved.
      await useUp();
      return outcome;
    };
    const passes = (call: ToolCall): boolean =>
      call.options.context?.approval === undefined && stage.passes?.(call) === true && shared.why(call) === undefined;
    return Object.assign(around, { passes });
  };
}

/**
 * Looks at the token of a call. Resolves with what uses it up, which lets the call run once in all
 * processes; throws when it is not good for the call.
 */
async function resume(
  pending: PendingApproval,
  token: string,
  { suspension, remembered, parts }: ApprovalParts,
): Promise<() => Promise<void>> {
  const { call } = pending;
  const grant = await grantOf(pending, parts, () => suspension.look(token, pending));
  const { decision, asked, id } = grant;
  const use = async (): Promise<void> => {
    await grantOf(pending, parts, () => suspension.useUp(grant, call));
    if (asked !== undefined) {
      parts.emit({ type: "approval-answered", ...callEvent(call, parts), decision, by: "human" }, call);
    }
    if (decision === "no") throw rejectedError(pending, undefined, parts);
    if (asked === undefined) parts.emit({ type: "approval-resumed", ...callEvent(call, parts), id }, call);
    if (decision !== "once") await remembered.keep(decision, pending);
  };
  let used: Promise<void> | undefined;
  const useUp = (): Promise<void> => (used ??= use());
  if (decision === "no") await useUp();
  return useUp;
}

const denials: Readonly<Record<ApprovalDenial, string>> = {
  rejected: "rejected",
  unanswered: "unanswered",
  forged: "the token of its approval is none of this policy's",
  expired: "its approval has expired",
  used: "its approval was used before, or is not known here",
  unasked:
    "nobody was asked about this very call: an approval holds once, for one tool, its arguments and its conversation, until it expires; or it was asked before a restart, and `state` is in memory",
  "other-tool": "another tool was approved, or this one has changed since",
  "other-arguments": "it was approved with other arguments",
  "other-caller": "it was approved for another principal or conversation",
};

async function grantOf(
  pending: PendingApproval,
  parts: PolicyParts,
  work: () => Promise<TokenLook>,
): Promise<ApprovalGrant> {
  const { call } = pending;
  let look: TokenLook;
  try {
    look = await work();
  } catch (cause) {
    if (call.options.signal?.aborted === true) throw stoppedCall(call, "not-sent");
    tellFailed(call, { part: "store", error: cause }, parts);
    const reason = "was refused: nobody can say whether its approval was used before";
    throw refuseApproval(pending, { code: "call_refused", reason, retryable: true, cause }, parts);
  }
  if ("grant" in look) return look.grant;
  const { denied } = look;
  const reason = `was refused: ${denials[denied]}`;
  throw refuseApproval(pending, { code: "approval_denied", details: { denied }, reason }, parts);
}

function plainOptions({ options }: ToolCall): ToolCall["options"] {
  return options.context?.approval === undefined ? options : { ...options, context: withoutApproval(options.context) };
}

/** Suspends the call where that is set, and returns the error that says so. */
async function requiredError(
  pending: PendingApproval,
  verdict: "suspend" | { readonly unasked: string | undefined } | undefined,
  { settings, suspension, parts }: ApprovalParts,
): Promise<HostsideError> {
  const { call, why } = pending;
  const code = "approval_required";
  if (settings.suspend !== undefined) {
    try {
      const approval = await suspension.suspend(pending);
      parts.emit({ type: "approval-suspended", ...callEvent(call, parts), id: approval.id }, call);
      const reason = `waits for an approval: ${why.why}`;
      return refuseApproval(pending, { code, reason, details: { approval } }, parts);
    } catch (error) {
      tellFailed(call, { part: "store", error }, parts);
    }
  }
  const words = typeof verdict === "object" ? verdict.unasked : undefined;
  const said = words === undefined || words === "" ? "" : `: ${cleanText(words, 500)}`;
  const reason = `needs an approval (${why.why}), and nobody can be asked${said}`;
  return refuseApproval(pending, { code, reason }, parts);
}

/** The definition that was shown and that runs; `undefined` where the caller selected another. */
function holdToDefinition({ definition, options: { selected } }: ToolCall): ToolDefinition | undefined {
  if (selected === undefined || selected === definition) return definition;
  if (selected.fingerprint === undefined) return sameDefinition(selected, definition) ? definition : undefined;
  // A toolbox may show cut texts, so that the fingerprint tells. The provider of an earlier
  // registration knows the tool by this very object.
  const isSame = selected.fingerprint === definition.fingerprint && sameJson(selected.origin, definition.origin);
  return isSame ? selected : undefined;
}

/** The calls that a framework asks about. */
export interface ApprovalOfFramework {
  /** The context of the conversation. */
  readonly context: CallContext | undefined;
  /** Looks up the server of a tool, where it was listed. */
  readonly serverOf: (definition: ToolDefinition) => AdmissionServer | undefined;
}

/** Makes the approval of the calls of one conversation by a framework. */
function createFrameworkApproval(
  { context, serverOf }: ApprovalOfFramework,
  { settings, why, suspension, parts }: ApprovalParts,
): FrameworkApproval {
  const read = ({ id, definition, args = {}, context: own }: AskedCall): QuestionOfFramework | undefined => {
    const copied = isJsonObject(args) ? copyArguments(args) : undefined;
    if (copied === undefined) return undefined;
    const { name, origin = { serverId: "", toolName: name, qualifiedName: `local::${name}` } } = definition;
    const options = { context: { ...context, ...own } };
    const call: ToolCall = { origin, definition, server: serverOf(definition), args: copied.args, options };
    return { callId: id, call, canonical: copied.canonical };
  };
  return {
    requires: (definition) =>
      settings.handler === undefined && why({ definition, server: serverOf(definition) }) !== undefined,
    async note(asked) {
      const question = read(asked);
      const { effect } = toolSubject(asked.definition, serverOf(asked.definition), parts);
      if (question === undefined) return { shown: [], effect };
      const { call } = question;
      try {
        if (await suspension.note(question)) {
          const { rule, why: reason } = why(call) ?? { rule: "requireApproval", why: "the framework asks" };
          parts.emit({ type: "approval-asked", ...callEvent(call, parts), rule, reason }, call);
        }
      } catch (error) {
        tellFailed(call, { part: "store", error }, parts);
      }
      return { shown: showCall({ call, args: call.args, effect }, settings), effect };
    },
    answer(asked, decision) {
      const question = read(asked);
      return question && suspension.answer(question, decision);
    },
  };
}
