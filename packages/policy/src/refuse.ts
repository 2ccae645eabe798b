import {
  HostsideError,
  isHostsideError,
  type CallOutcome,
  type ErrorDetails,
  type ToolCall,
  type ToolOrigin,
  type HostsideErrorCode,
  type Lock,
  type Notices,
  type Store,
} from "@hostside/core";
import { clock, quoteText, withoutApproval } from "@hostside/core/implement";
import type { CallEventBase, PolicyStage, PolicyEvent } from "./policy-event.ts";
import { effectOfDefinition, type EffectOf, type IsNew } from "./rules/tool-subject.ts";

/** The parts that the stages of one policy share. */
export interface PolicyParts {
  /** Keeps data for longer than a call. */
  readonly store: Store;
  readonly lock: Lock;
  /**
   * By which replicas hear of one another. Absent: there is one, or they read again when they are
   * asked to.
   */
  readonly notices?: Notices | undefined;
  /**
   * The effect of a call, for every stage alike: hand the parts to `toolSubject()`. Absent:
   * what its definition says.
   */
  readonly effectOf?: EffectOf | undefined;
  /** Absent: no selector asks for new tools. */
  readonly isNew?: IsNew | undefined;
  /** `call`: the one that it is about, whose own observer hears of it, too. */
  emit(event: PolicyEvent, call?: Pick<ToolCall, "options">): void;
}

/** The parts of a stage that keeps nothing. */
export type StageParts = Pick<PolicyParts, "emit" | "effectOf" | "isNew">;

/** A no, before anything was sent. */
export interface PolicyRefusal {
  readonly stage: PolicyStage;
  readonly code: HostsideErrorCode;
  /**
   * Why, after a name for the call: `is denied by deny[2]`. Without arguments and without texts of
   * a server.
   */
  readonly reason: string;
  /** Which rule or limit decided, as the product wrote or named it. */
  readonly rule: string;
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
  /** `true`: the same call may be let through later. Default as `code` has it. */
  readonly retryable?: true | undefined;
}

/** Tells that a call is refused, and returns the error to throw. */
export function refuseCall(
  call: ToolCall,
  { stage, code, reason, rule, details, cause, retryable }: PolicyRefusal,
  parts: StageParts,
): HostsideError {
  parts.emit({ type: "refused", ...callEvent(call, parts), stage, code, reason }, call);
  const why = { details: { ...details, policy: rule }, cause };
  return callError(call.origin, reason, { code, outcome: "not-sent", retryable, ...why });
}

/** Makes the error of a call that cannot wait longer: the reason of its signal, or `aborted`. */
export function stoppedCall({ origin, options }: ToolCall, outcome: CallOutcome): HostsideError {
  const cause: unknown = options.signal?.reason;
  return isHostsideError(cause) ? cause : callError(origin, "was aborted", { code: "aborted", outcome, cause });
}

function callError(
  { serverId, toolName }: ToolOrigin,
  problem: string,
  rest: ConstructorParameters<typeof HostsideError>[1],
): HostsideError {
  const owner = serverId === "" ? "" : ` on ${JSON.stringify(serverId)}`;
  const place = { serverId: serverId || undefined, toolName };
  return new HostsideError(`call of ${quoteText(toolName)}${owner} ${problem}`, { ...place, ...rest });
}

/** Tells that a stage let a call pass for a reason worth knowing, changed it, or answered it. */
export function tellApplied(
  call: ToolCall,
  applied: { readonly stage: PolicyStage; readonly reason: string },
  parts: StageParts,
): void {
  parts.emit({ type: "applied", ...callEvent(call, parts), ...applied }, call);
}

/** Tells that a part of the product failed during a call. */
export function tellFailed(
  call: ToolCall,
  failed: { readonly part: string; readonly error: unknown },
  parts: StageParts,
): void {
  parts.emit({ type: "part-failed", ...callEvent(call, parts), ...failed }, call);
}

/** Makes the members that every event about a call has. */
export function callEvent(
  { origin, definition, server, options }: ToolCall,
  { effectOf = effectOfDefinition }: Pick<StageParts, "effectOf">,
): CallEventBase {
  return { origin, effect: effectOf(definition, server), context: withoutApproval(options.context), at: clock.date() };
}
