import type {
  AdmissionServer,
  Admit,
  Interceptor,
  QuarantinedTool,
  RequestInterceptor,
  ServerWords,
  Subscription,
  ToolDefinition,
} from "@hostside/core";
import type { Fields } from "@hostside/core/implement";
import type { PinOptions } from "../pins/pin-options.ts";
import type { ToolChange } from "../pins/diff-locks.ts";
import type { IsNew } from "../rules/tool-subject.ts";
import { ruleFields, type RuleAction, type RuleOptions } from "../rules/rule-options.ts";
import type { FindUnmatched } from "../rules/unmatched-rules.ts";

/** What is on offer: rules on who may be used, and pins on what has been seen. */
export interface AdmissionOptions extends RuleOptions {
  /** Default: tools are not pinned. */
  readonly pins?: PinOptions | undefined;
}

/** The fields of {@linkcode AdmissionOptions}, for whoever has more options beside them. */
export const admissionFields: Fields<AdmissionOptions> = { ...ruleFields, pins: true };

/** A provider or a toolbox: it offers tools, and asks a policy which. */
export interface AdmissionTarget {
  quarantined(): readonly QuarantinedTool[];
  readmit(): void;
}

/** The decision on a tool, and why. */
export interface AdmissionDecision {
  readonly decision: RuleAction;
  /** Which of the two decided. */
  readonly stage: "rules" | "pins";
  /** The name or place of what decided: `deny[2]`, `pins.locks["github"]`. */
  readonly rule: string;
  /** A clause after the name of the tool. */
  readonly why: string;
}

/** A tool that this policy holds back. */
export interface HeldTool extends Pick<AdmissionDecision, "stage" | "rule" | "why"> {
  readonly serverId: string;
  /** The remote name: a server's text. */
  readonly toolName: string;
  readonly fingerprint?: string;
  readonly definition: ToolDefinition;
  /** What its server says of itself, which an approval is of, too: untrusted. */
  readonly words?: ServerWords;
  /** That of its server, for which an approval holds. */
  readonly registration?: string;
  /**
   * Whether {@linkcode ToolAdmission.approve} would let it be used: not without a fingerprint, and
   * not while its server has another version.
   */
  readonly approvable: boolean;
  /**
   * What changed since it was pinned, where that is known. Texts in it are the server's: untrusted.
   */
  readonly changes?: readonly ToolChange[];
}

/** What an approval did. */
export interface ApprovalResult {
  /** Remote names, sorted. */
  readonly approved: readonly string[];
  /** Those that stay held back, or were not, and why; as a clause. */
  readonly left: readonly { readonly toolName: string; readonly reason: string }[];
}

/** Decides what is on offer, once for listing, search and calls. */
export interface ToolAdmission {
  /** For a provider and a toolbox. */
  readonly admit: Admit;
  /** Refuses what was held back after a listing; `undefined` where no rule and no pin can do so. */
  readonly interceptor: Interceptor | undefined;
  /**
   * Refuses requests for resources and prompts that a `deny` names, with `not_allowed`. Their
   * methods stand for tools: `"github/resources/read"`, `"github/prompts/*"`. For the option
   * `requestInterceptors` of a provider.
   */
  readonly requestInterceptor: RequestInterceptor;
  readonly isNew: IsNew;
  /** Finds rules that match nothing. */
  readonly unmatchedRules: FindUnmatched;
  decide(definition: ToolDefinition, server: AdmissionServer | undefined): AdmissionDecision;
  /** Says who decides; in sentences. */
  explain(definition: ToolDefinition, server: AdmissionServer | undefined): readonly string[];
  /**
   * Has a provider or a toolbox ask again whenever answers may have changed, until the subscription
   * ends. {@linkcode approve} and {@linkcode held} are about the tools of what is attached.
   */
  attach(target: AdmissionTarget): Subscription;
  /**
   * Resolves when what was approved has been read from the store, and what was trusted is kept.
   * Until then tools that depend on it are held back. Rejects when the store fails; call it again
   * to try again.
   */
  ready(): Promise<void>;
  /**
   * Reads again what is in the store, for what other processes approved. Rejects when the store
   * fails; then nothing changes.
   */
  reload(): Promise<void>;
  /** What is attached and held back by this policy, sorted by server and name. */
  held(): readonly HeldTool[];
  /**
   * Lets tools of a server be used as they are now: those of these remote names, or all that are
   * held back or new. A {@linkcode HeldTool} is approved only if it is still the one that somebody
   * looked at; a name that is held back in several variants is `left`, with their fingerprints. One
   * change, in one event. Rejects, and approves nothing, when it cannot be kept, and with
   * `unknown_server` when no tool of that server was ever listed here.
   */
  approve(serverId: string, tools?: readonly (string | HeldTool)[]): Promise<ApprovalResult>;
  /**
   * Takes approvals back, and the trust of a first use; by default of all tools of a server. What
   * is in a lock stays pinned.
   */
  revoke(serverId: string, toolNames?: readonly string[]): Promise<void>;
  /** Hears no more of other replicas. Idempotent. */
  close(): void;
}
