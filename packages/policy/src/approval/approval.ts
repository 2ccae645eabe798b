import {
  cleanText,
  type AdmissionServer,
  type CallHandler,
  type FrameworkApproval,
  type Interceptor,
  type ToolCall,
  type ToolDefinition,
  type ToolOutcome,
  type HostsideError,
} from "@hostside/core";
import { withoutApproval, sameJson } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { toolSubject, type ToolSubject } from "../rules/tool-subject.ts";
import { dayMs, readApprovalOptions, type ApprovalOptions, type ReadApprovalOptions } from "./approval-options.ts";
import { createApprovalAsking, type ApprovalAsking } from "./ask-about-call.ts";
import { copyArguments, type CopiedArguments } from "./copy-arguments.ts";
import { createFrameworkApproval, type ApprovalOfFramework } from "./framework-approval.ts";
import { keepApprovals, type KeptApprovals } from "./kept-approvals.ts";
import { hintFor, type PendingApproval } from "./pending-call.ts";
import {
  createRememberedApprovals,
  type ApprovalScope,
  type ConversationScope,
  type RememberedFor,
} from "./remembered-approvals.ts";
import { resumeApprovedCall, type Resumption } from "./resume-call.ts";
import { createSuspension, type Suspension } from "./suspend-call.ts";
import { readMode, type AskedByMode, type AskedTool, type WhyAsked } from "./why-asked.ts";

/** What the rules of the policy say of a call: why somebody has to approve it, or nothing. */
export type AskedByRules = (tool: AskedTool) => WhyAsked | string | undefined;

/** The approval of calls by a human. */
export interface Approval {
  /**
   * Lets a call pass that somebody approved, or that nobody has to. It runs with the definition and
   * the arguments that were shown.
   *
   * Throws `approval_denied` for a no, for no answer in time, and for a token that does not count,
   * `details.denied` says which; `approval_required` when nobody can be asked now, with
   * `details.approval` where the call can be approved later; `call_refused` when a part failed;
   * `tool_changed` when the caller selected another definition; `invalid_arguments` for what JSON
   * cannot write; `overloaded`.
   */
  readonly interceptor: Interceptor;
  /**
   * The same around a stage that may still refuse the call, or send it more than once. The token of
   * a suspended call is used up when that stage sends the call for the first time, or has answered
   * it, and not by a refusal: the call can then be repeated with it.
   */
  around(stage: Interceptor): Interceptor;
  /**
   * Whether somebody is asked before a call of the tool, for those who show it. What was remembered
   * does not count.
   */
  requiresApproval(definition: ToolDefinition, server?: AdmissionServer): boolean;
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
   * `conversation` and no tool, all that was remembered for that conversation, of this principal:
   * for when it is over. Rejects as the store does.
   */
  forget(scope: ApprovalScope | ConversationScope): Promise<void>;
  /** What happens to calls of a tool, in sentences. */
  describe(subject: ToolSubject, definition?: ToolDefinition): readonly string[];
}

/**
 * Makes the approval of one policy. Throws a `TypeError` that names the option for options that
 * make no sense.
 */
export function createApproval(
  options: ApprovalOptions,
  parts: PolicyParts,
  asks: AskedByRules = () => undefined,
): Approval {
  const settings = readApprovalOptions(options);
  const { store, clock, lock } = parts;
  const byMode = readMode(settings.mode);
  const remembered = createRememberedApprovals({ store, lock, clock, conversationMs: settings.conversationMs });
  // What a framework asks is answered in this process, so that nobody else needs the key.
  const { keys = [crypto.getRandomValues(new Uint8Array(32))], ttlMs = dayMs } = settings.suspend ?? {};
  const suspension = createSuspension({ keys, ttlMs, parts });
  const why = (tool: AskedTool): WhyAsked | undefined => whyAsked(tool, { byMode, asks, parts });
  const decided = (suspended: unknown, decision: "once" | "no" | RememberedFor): string => {
    if (settings.suspend === undefined) {
      throw new TypeError("approval.suspend is not set: this policy suspends no calls");
    }
    return suspension.decide(suspended, decision);
  };
  const kept = keepApprovals(remembered, parts);
  const around = createApprovalInterceptor({ settings, parts, why, suspension, kept });
  return {
    interceptor: around((call, next) => next(call)),
    around,
    requiresApproval: (definition, server) => why({ definition, server }) !== undefined,
    forFramework: (framework) =>
      createFrameworkApproval({
        ...framework,
        hasHandler: settings.handler !== undefined,
        why,
        suspension,
        parts,
        secrets: settings.secrets,
      }),
    approve(suspended, { remember } = {}) {
      if (remember === undefined || remember === "conversation" || remember === "always") {
        return decided(suspended, remember ?? "once");
      }
      throw new TypeError('remember must be "conversation" or "always"');
    },
    reject: (suspended) => decided(suspended, "no"),
    forget: (scope) => remembered.forget(scope),
    describe(subject, definition) {
      const byDefinition = definition?.requireApproval === true ? ofDefinition : undefined;
      const asked = byMode(subject, definition?.name) ?? byDefinition;
      return asked === undefined ? [] : [`approval: ${asked.why} (${asked.rule}); ${howAsked(settings)}`];
    },
  };
}

const byToken: WhyAsked = { rule: "approval.suspend", why: "the call was suspended" };
const ofDefinition: WhyAsked = { rule: "requireApproval", why: "the definition of the tool says so" };

function whyAsked(
  tool: AskedTool,
  { byMode, asks, parts }: { readonly byMode: AskedByMode; readonly asks: AskedByRules; readonly parts: PolicyParts },
): WhyAsked | undefined {
  const { definition, server } = tool;
  const asked = asks(tool);
  if (typeof asked === "string") return { rule: "rules", why: asked };
  if (asked !== undefined) return asked;
  const byItself = definition.requireApproval === true ? ofDefinition : undefined;
  return byMode(toolSubject(definition, server, parts), definition.name) ?? byItself;
}

function howAsked({ handler, suspend }: ReadApprovalOptions): string {
  if (handler !== undefined) return "the handler is asked";
  return suspend === undefined ? "nobody can be asked, so calls are refused" : "calls wait until they are approved";
}

interface ApprovalInterceptorInit {
  readonly settings: ReadApprovalOptions;
  readonly parts: PolicyParts;
  readonly why: (tool: AskedTool) => WhyAsked | undefined;
  readonly suspension: Suspension;
  readonly kept: KeptApprovals;
}

function createApprovalInterceptor(init: ApprovalInterceptorInit): Approval["around"] {
  const { settings, parts, why, suspension, kept } = init;
  const { handler } = settings;
  const asking = handler && createApprovalAsking({ handler, settings, kept, parts });
  return (stage) => async (call, next) => {
    const asked = why(call);
    const token = call.options.context?.approval;
    // A call that brings a token goes on once, whether or not somebody would still be asked about
    // it.
    const reason = asked ?? (token === undefined || settings.suspend === undefined ? undefined : byToken);
    if (reason === undefined) return stage(token === undefined ? call : { ...call, options: plainOptions(call) }, next);
    const selected = holdToDefinition(call);
    if (selected === undefined) throw selectionError(call, reason, parts);
    const pending = toPending(call, reason, parts);
    const resumed = token && (await resumeApprovedCall(pending, token, { suspension, kept, parts }));
    if (!resumed && !(await kept.approves(pending))) {
      await decide(pending, { asking, suspension: settings.suspend && suspension, parts });
    }
    const shown = { ...call, args: pending.copied.args, options: { ...plainOptions(call), selected } };
    return resumed ? runOnce(shown, resumed, { stage, next }) : stage(shown, next);
  };
}

interface Way {
  readonly stage: Interceptor;
  readonly next: CallHandler;
}

async function runOnce(call: ToolCall, resumed: Resumption, { stage, next }: Way): Promise<ToolOutcome> {
  const outcome = await stage(call, async (sent) => {
    await resumed.useUp();
    return next(sent);
  });
  // What answered without sending it has answered what was approved.
  await resumed.useUp();
  return outcome;
}

/** Without the token, which is for nobody else. */
function plainOptions({ options }: ToolCall): ToolCall["options"] {
  return options.context?.approval === undefined ? options : { ...options, context: withoutApproval(options.context) };
}

function toPending(call: ToolCall, why: WhyAsked, parts: PolicyParts): PendingApproval {
  const copied: CopiedArguments | undefined = copyArguments(call.args);
  if (copied === undefined) {
    const reason = "has arguments that cannot be shown: they are no JSON, or nested too deep";
    throw refuseCall(call, { stage: "approval", code: "invalid_arguments", reason, rule: why.rule }, parts);
  }
  const { effect } = toolSubject(call.definition, call.server, parts);
  return { call, copied, why, effect, hint: hintFor(call.origin.toolName) };
}

/** Resolves when somebody approves the call now. */
async function decide(
  pending: PendingApproval,
  {
    asking,
    suspension,
    parts,
  }: Pick<ApprovalInterceptorInit, "parts"> & {
    readonly asking: ApprovalAsking | undefined;
    readonly suspension: Suspension | undefined;
  },
): Promise<void> {
  const verdict = await asking?.ask(pending);
  if (verdict === "run") return;
  const words = typeof verdict === "object" ? verdict.unasked : undefined;
  throw await requiredError(pending, { suspension, words }, parts);
}

async function requiredError(
  { call, why, hint, copied }: PendingApproval,
  { suspension, words }: { readonly suspension: Suspension | undefined; readonly words: string | undefined },
  parts: PolicyParts,
): Promise<HostsideError> {
  const refusal = { stage: "approval", code: "approval_required", rule: why.rule } as const;
  const said = words === undefined || words === "" ? "" : `: ${cleanText(words, 500)}`;
  const nobody = { ...refusal, reason: `needs an approval (${why.why}), and nobody can be asked${said}` };
  if (suspension === undefined) return refuseCall(call, nobody, parts);
  try {
    const approval = await suspension.suspend(call, { hint, why: why.why, copied });
    parts.emit({ type: "approval-suspended", ...callEvent(call, parts), id: approval.id }, call);
    return refuseCall(call, { ...refusal, reason: `waits for an approval: ${why.why}`, details: { approval } }, parts);
  } catch (error) {
    parts.emit({ ...callEvent(call, parts), type: "part-failed", part: "store", error }, call);
    return refuseCall(call, nobody, parts);
  }
}

function selectionError(call: ToolCall, { rule }: WhyAsked, parts: PolicyParts): HostsideError {
  const reason = "was selected by a definition that is not the current one; select it again";
  return refuseCall(call, { stage: "approval", code: "tool_changed", reason, rule }, parts);
}

/**
 * What the call is held to once its definition was approved; `undefined` when its caller has
 * selected another one, which nobody can approve by looking at this one.
 */
function holdToDefinition({ definition, options: { selected } }: ToolCall): ToolDefinition | undefined {
  if (selected === undefined || selected === definition) return definition;
  if (!readsTheSame(selected, definition)) return undefined;
  // The one of an earlier registration reads the same, and its provider knows it by this very
  // object. A copy says nothing of the kind.
  return "fingerprint" in selected ? selected : definition;
}

// A toolbox cuts texts and flags them; the caller's one is as its provider has it.
function readsTheSame(selected: ToolDefinition, { flags = [], ...definition }: ToolDefinition): boolean {
  const isCut = flags.includes("truncated");
  return (
    isText(selected.description, definition.description, isCut) &&
    isText(selected.title ?? "", definition.title ?? "", isCut) &&
    sameJson(comparable(selected), comparable(definition))
  );
}

function isText(selected: string, shown: string, isCut: boolean): boolean {
  return selected === shown || (isCut && shown.endsWith("…") && selected.startsWith(shown.slice(0, -1)));
}

function comparable({
  name,
  inputSchema,
  outputSchema,
  annotations,
  effect,
  requireApproval,
  origin,
}: ToolDefinition): object {
  return { name, inputSchema, outputSchema, annotations, effect, requireApproval, origin };
}
