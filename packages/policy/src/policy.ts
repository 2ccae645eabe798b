import {
  createMemoryLock,
  createMemoryStore,
  type AdmissionServer,
  type Admit,
  type CallContext,
  type Event,
  type FrameworkApproval,
  type Interceptor,
  type RequestSeam,
  type ToolCall,
  type ToolDefinition,
  type ToolEffect,
} from "@hostside/core";
import { assertKnownOptions, createEvent, quoteText, tell } from "@hostside/core/implement";
import { createAdmission, type ToolAdmission } from "./admission/create-admission.ts";
import { createApproval, type Approval } from "./approval/approval.ts";
import { createBreaker } from "./breaker/create-breaker.ts";
import { createResultCache } from "./cache/create-result-cache.ts";
import { createEffects } from "./effects/create-effects.ts";
import { invoke, type InvokeTarget, type InvocationResult } from "./invoke/invoke.ts";
import { createLimits } from "./limits/create-limits.ts";
import { freezeArguments, recordCalls } from "./pipeline/record-calls.ts";
import type { PolicyEvent } from "./policy-event.ts";
import { asksForNewTools, assertPolicyParts, policyFields, type PolicyOptions } from "./policy-options.ts";
import type { PolicyParts } from "./refuse.ts";
import { createRedaction } from "./redaction/create-redaction.ts";
import { createRetry } from "./retry/create-retry.ts";
import { SeenTools } from "./seen-tools.ts";
import { createValidation } from "./validation/create-validation.ts";

/** Permissions, limits and approvals of a toolbox. */
export interface Policy
  extends
    Pick<ToolAdmission, "requestInterceptor" | "unmatchedRules" | "attach" | "ready" | "reload" | "held" | "revoke">,
    Pick<Approval, "requiresApproval" | "reject" | "forget"> {
  /** For the option `admit` of a provider and a toolbox: which tools are on offer. */
  readonly admit: Admit;
  /**
   * For the option `interceptors` of the toolbox. Your own interceptors stand before or behind them.
   */
  readonly interceptors: readonly Interceptor[];
  /**
   * For the option `requestSeam` of every provider: the `breaker`, around each request to a server.
   * `undefined` without one.
   */
  readonly requestSeam: RequestSeam | undefined;
  /** Lets tools that are held back be used as they are now. See `ToolAdmission.approve`. */
  readonly approveTools: ToolAdmission["approve"];
  /**
   * Lets a framework ask for approvals, for the calls of a view with this context. Conversations of
   * a host do so by themselves.
   *
   * @example
   * createAiSdkTools({ ...view, approval: policy.frameworkApproval(context) });
   */
  frameworkApproval(context?: CallContext): FrameworkApproval;
  /** The token by which a suspended call goes on. See `Approval.approve`. */
  readonly approveCall: Approval["approve"];
  /** Names the effect of a tool, by `effects` and its definition. */
  effectOf(definition: ToolDefinition, server?: AdmissionServer): ToolEffect;
  readonly onEvent: Event<PolicyEvent>;
  /**
   * Says which rule or pin decides over a tool, what its effect is, and whether each call is to be
   * approved; one sentence a line. A tool is meant by its definition, its local name,
   * `"server/tool"` or its qualified name; by name only one that the policy was asked about, hidden
   * or not.
   */
  explain(tool: string | ToolDefinition, server?: AdmissionServer): string;
  /**
   * Calls a tool of a toolbox or provider, and answers with an envelope in place of exceptions,
   * whatever it is given.
   */
  invoke(target: InvokeTarget, invocation: unknown): Promise<InvocationResult>;
  /** A text as results are masked, for the host's own logs. The text itself without `redact`. */
  redactText(text: string, context?: CallContext): string;
  /**
   * Data of a server that is no result of a call, such as what was read of a resource, masked as
   * results are; an error, too, with its details and causes. The very same where there are no
   * secrets, and without `redact`. Rejects with `internal_error` where a function of `redact`
   * fails: then nobody knows what is secret.
   */
  redactData<Data>(data: Data, context?: CallContext): Promise<Data>;
  /** Forgets all results that were kept to be given again. */
  clearCache(): void;
  /**
   * Hears no more of other replicas, nor of the `state`. It decides as before by what it
   * knows. Idempotent.
   */
  close(): void;
}

/**
 * Makes a policy. Nothing starts, and nothing is read from the store before a tool depends on it.
 *
 * Throws a `TypeError` that names rule and field for an unknown option, a rule that can never
 * match, rules that contradict one another, an unknown effect, a limit below 0, a lock file of
 * another format, and whatever else makes no sense.
 *
 * @example
 * const policy = createPolicy({
 *   allow: ["github/get_*"],
 *   requireApproval: ["github/create_*"],
 *   deny: ["github/delete_*"],
 * });
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  assertKnownOptions("createPolicy()", options, policyFields);
  assertPolicyParts(options);
  const { state, onEvent } = options;
  const { store, lock = createMemoryLock(), notices } = state ?? { store: createMemoryStore() };
  const events = createEvent<PolicyEvent>();
  if (onEvent !== undefined) events.on(onEvent);
  const effects = createEffects(options);
  const parts: PolicyParts = {
    store,
    lock,
    notices,
    effectOf: effects.effectOf,
    isNew: asksForNewTools(options) ? (definition, server) => admission.isNew(definition, server) : undefined,
    emit(event, call) {
      const observer = call?.options.observer;
      if (observer !== undefined) tell(observer.onDecision, event);
      events.emit(event);
    },
  };
  const stages = createStages(options, parts);
  const { admission, approval, breaker, cache, limits, redaction } = stages;
  const seen = new SeenTools();
  const serverOf = ({ origin }: ToolDefinition): AdmissionServer | undefined => origin && seen.server(origin.serverId);
  const explain = (definition: ToolDefinition, server: AdmissionServer | undefined): readonly string[] => {
    const asked = approval.why({ definition, server });
    return [
      ...admission.explain(definition, server),
      effects.describe(definition, server),
      ...(asked === undefined ? [] : [`Each call of it is to be approved: ${asked.why} (${asked.rule}).`]),
    ];
  };

  return {
    admit(definition, server) {
      seen.note(definition, server);
      return admission.admit(definition, server);
    },
    interceptors: [composeAll(stages, parts, () => events.hasListeners)],
    requestInterceptor: admission.requestInterceptor,
    unmatchedRules: admission.unmatchedRules,
    requestSeam: breaker?.seam,
    effectOf: (definition, server) => effects.effectOf(definition, server ?? serverOf(definition)),
    onEvent: (listener) => events.on(listener),
    explain(tool, server) {
      if (typeof tool !== "string") return explain(tool, server ?? serverOf(tool)).join("\n");
      const found = seen.find(tool);
      return found === undefined
        ? `No tool ${quoteText(tool)} was ever listed where this policy decides.`
        : explain(found.definition, found.server).join("\n");
    },
    invoke: (target, invocation) =>
      invoke(target, invocation, {
        effectOf: effects.effectOf,
        idempotencyMetaKey: options.retry?.idempotencyMetaKey,
        snapshotOf: explain,
        serverOf: (serverId) => seen.server(serverId),
      }),
    attach: (target) => admission.attach(target),
    ready: () => admission.ready(),
    reload: () => admission.reload(),
    held: () => admission.held(),
    approveTools: (serverId, tools) => admission.approve(serverId, tools),
    revoke: (serverId, toolNames) => admission.revoke(serverId, toolNames),
    requiresApproval: (definition, server) => approval.requiresApproval(definition, server ?? serverOf(definition)),
    frameworkApproval: (context) => approval.forFramework({ context, serverOf }),
    approveCall: (suspended, approvalOptions) => approval.approve(suspended, approvalOptions),
    reject: (suspended) => approval.reject(suspended),
    forget: (scope) => approval.forget(scope),
    redactText: (text, context) => redaction?.redactText(text, context) ?? text,
    redactData: async (data, context) => redaction?.redactData(data, context) ?? data,
    clearCache: () => cache?.clear(),
    close() {
      admission.close();
      limits?.close();
    },
  };
}

type Stages = ReturnType<typeof createStages>;

function createStages(options: PolicyOptions, parts: PolicyParts) {
  const { limits, state, approval = {}, validation, cache, retry, breaker, redact } = options;
  const admission = createAdmission(options, parts, options.approval?.mode);
  return {
    admission,
    approval: createApproval(approval, parts, ({ definition, server }) => {
      const { decision, rule, why } = admission.decide(definition, server);
      return decision === "approval" ? { rule, why } : undefined;
    }),
    validation: ifGiven(validation, (given) => createValidation(given, parts)),
    limits: ifGiven(limits, (given) => createLimits({ limits: given, limitStore: state?.limitStore }, parts)),
    retry: ifGiven(retry, (given) => createRetry(given, parts)),
    breaker: ifGiven(breaker, (given) => createBreaker(given, parts)),
    cache: ifGiven(cache, (given) => createResultCache(given, parts)),
    redaction: ifGiven(redact, (given) => createRedaction(given, parts)),
  };
}

function ifGiven<Options, Stage>(options: Options | undefined, make: (options: Options) => Stage): Stage | undefined {
  return options === undefined ? undefined : make(options);
}

/** Makes one interceptor of the stages that are on. */
function composeAll(
  { redaction, admission, approval, validation, limits, retry, breaker, cache }: Stages,
  parts: PolicyParts,
  isWatched: () => boolean,
): Interceptor {
  // These look at arguments, or send them twice. An approval shows and sends a copy of its own.
  const looksAtArguments = [validation?.input, cache, limits, retry].some((stage) => stage !== undefined);
  return composeStages([
    recordCalls({ ...parts, retries: retry !== undefined, isWatched }),
    looksAtArguments ? freezeArguments(parts) : undefined,
    redaction?.interceptor,
    admission.interceptor,
    validation?.input,
    // Around what may still refuse the call, so that an approval is not used up by that.
    approval.around(composeStages([cache?.interceptor, limits?.interceptor, retry, breaker?.interceptor])),
    validation?.output,
  ]);
}

/**
 * Folds stages into one interceptor, once. The first one is the outermost. It passes what all of
 * them pass.
 */
function composeStages(stages: readonly (Interceptor | undefined)[]): Interceptor {
  const present = stages.filter((stage) => stage !== undefined);
  const passes = (call: ToolCall): boolean => present.every((stage) => stage.passes?.(call) === true);
  const pass: Interceptor = (call, next) => next(call);
  const all = present.reduceRight((inner, stage) => (call, next) => stage(call, (handed) => inner(handed, next)), pass);
  return Object.assign(all, { passes });
}
