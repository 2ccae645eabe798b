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
import type { ApprovedTool, Pins } from "../pins/create-pins.ts";
import type { ToolChange } from "../policy-event.ts";
import type { PinOptions } from "../pins/pin-options.ts";
import { hashWords } from "../pins/tool-lock.ts";
import { ruleFields, type RuleAction, type RuleOptions } from "../rules/rule-options.ts";
import type { IsNew } from "../rules/tool-subject.ts";
import type { FindUnmatched } from "../rules/unmatched-rules.ts";

/** Options about the tools on offer: rules on what may be used, and pins on what has been seen. */
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
  /** The words of its server about itself, which an approval covers, too: untrusted. */
  readonly words?: ServerWords;
  /** The registration of its server, for which an approval holds. */
  readonly registration?: string;
  /**
   * Tells whether {@linkcode ToolAdmission.approve} would let it be used: not without a
   * fingerprint, and not while its server has another version.
   */
  readonly approvable: boolean;
  /**
   * The changes since it was pinned, where they are known. Texts in it are the server's: untrusted.
   */
  readonly changes?: readonly ToolChange[];
}

/** The result of an approval. */
export interface ApprovalResult {
  /** Remote names, sorted. */
  readonly approved: readonly string[];
  /** Tools that stay held back, or were not, and why; as a clause. */
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
  /** Lists the tools of attached targets that this policy holds back, sorted by server and name. */
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
   * Takes approvals back, and the trust of a first use; by default of all tools of a server. Tools
   * in a lock stay pinned.
   */
  revoke(serverId: string, toolNames?: readonly string[]): Promise<void>;
  /** Hears no more of other replicas. Idempotent. */
  close(): void;
}

/**
 * The tool as one that is held back by this policy; `undefined` when it is somebody else who holds
 * it back.
 */
export function describeHeld(
  { definition, server }: QuarantinedTool,
  decide: ToolAdmission["decide"],
  pins: Pick<Pins, "changesOf" | "judge">,
): HeldTool | undefined {
  const { decision, stage, rule, why } = decide(definition, server);
  if (decision !== "quarantine") return undefined;
  const { origin, name, fingerprint } = definition;
  const changes = pins.changesOf(definition, server);
  return {
    serverId: origin?.serverId ?? "",
    toolName: origin?.toolName ?? name,
    ...(fingerprint !== undefined && { fingerprint }),
    definition,
    ...(server?.words !== undefined && { words: server.words }),
    ...(server?.registration !== undefined && { registration: server.registration }),
    stage,
    rule,
    why,
    approvable: fingerprint !== undefined && pins.judge(definition, server).kind !== "other-version",
    ...(changes !== undefined && { changes }),
  };
}

/** The tools to approve, and those that cannot be. */
export interface ApprovalSelection {
  readonly tools: readonly ApprovedTool[];
  readonly left: ApprovalResult["left"];
}

/**
 * Chooses of the held tools of one server those that were asked for; by default all. Servers
 * that are attached more than once may list variants of one tool: a name alone means none of
 * several.
 */
export function chooseHeld(
  held: readonly HeldTool[],
  wanted: readonly (string | HeldTool)[] = held,
): ApprovalSelection {
  const tools = new Map<string, ApprovedTool>();
  const left = new Map<string, string>();
  for (const one of wanted) {
    const toolName = typeof one === "string" ? one : one.toolName;
    const variants = held.filter((other) => other.toolName === toolName);
    const tool =
      typeof one === "string"
        ? variants[0]
        : variants.find(
            (other) => other.fingerprint === one.fingerprint && hashWords(other.words) === hashWords(one.words),
          );
    if (variants.length === 0) left.set(toolName, "is not held back");
    else if (typeof one === "string" && variants.length > 1) left.set(toolName, manyVariants(variants));
    else if (tool === undefined) left.set(toolName, "is not the one any more that was looked at");
    else if (!tool.approvable || tool.fingerprint === undefined) left.set(toolName, tool.why);
    else {
      const { fingerprint, definition, words, registration } = tool;
      const key = JSON.stringify([toolName, fingerprint, words]);
      tools.set(key, { toolName, fingerprint, registration, entry: definition.entry, words });
    }
  }
  return {
    tools: Array.from(tools.values()),
    left: Array.from(left, ([toolName, reason]) => ({ toolName, reason })),
  };
}

function manyVariants(variants: readonly HeldTool[]): string {
  const prints = variants.map(({ fingerprint = "no fingerprint" }) => fingerprint).join(" and ");
  return `is held back in ${variants.length} variants, ${prints}: approve the one of held() that was looked at`;
}
