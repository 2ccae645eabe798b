import { clock, compareText, quoteText } from "@hostside/core/implement";
import {
  HostsideError,
  isHostsideError,
  type AdmissionServer,
  type Interceptor,
  type QuarantinedTool,
  type RequestInterceptor,
  type ToolCall,
  type ToolDefinition,
  type Admit,
  type ServerWords,
  type Subscription,
} from "@hostside/core";
import { createPins, type Pins, type ApprovedTool } from "../pins/create-pins.ts";
import type { PinKind } from "../pins/judge-pin.ts";
import { readPinOptions, type PinOptions } from "../pins/pin-options.ts";
import { type PolicyParts, refuseCall } from "../refuse.ts";
import { decide as decideByRules, findDeny } from "../rules/decide.ts";
import { readRules } from "../rules/read-rules.ts";
import { type ApprovalMode, type RuleLayer, type RuleAction, type RuleOptions } from "../rules/rule-options.ts";
import { toolSubject, type IsNew } from "../rules/tool-subject.ts";
import { watchRules, type FindUnmatched } from "../rules/unmatched-rules.ts";
import { keepLatest } from "../seen-tools.ts";
import type { ToolChange } from "../policy-event.ts";
import { hashWords } from "../pins/tool-lock.ts";

/** Options about the tools on offer: rules on what may be used, and pins on what has been seen. */
export interface AdmissionOptions extends RuleOptions {
  /** Default: tools are not pinned. */
  readonly pins?: PinOptions | undefined;
}

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

/**
 * Chooses of the held tools of one server those that were asked for; by default all. Servers
 * that are attached more than once may list variants of one tool: a name alone means none of
 * several.
 */
export function chooseHeld(
  held: readonly HeldTool[],
  wanted: readonly (string | HeldTool)[] = held,
): { readonly tools: readonly ApprovedTool[]; readonly left: ApprovalResult["left"] } {
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

// Bounds, because users may bring servers. A server that was not asked about for so long is not on
// offer.
const mostServers = 100_000;
const mostNew = 10_000;
const ruledMethods = /^(?:resources|prompts|completion)\//;
const admissions = { allow: "offer", approval: "offer", quarantine: "quarantine", deny: "hide" } as const;

/**
 * Makes the one place that decides what is on offer. Throws a `TypeError` that names rule and field
 * for options that make no sense.
 */
export function createAdmission(options: AdmissionOptions, parts: PolicyParts, mode?: ApprovalMode): ToolAdmission {
  const [layers, unmatchedRules] = watchRules(readRules(options, mode));
  const plan = readPinOptions(options.pins);
  const isPinning = plan.unpinned !== "off";
  const usesStore = isPinning || layers.some(({ byDefault }) => byDefault.decision === "quarantine");
  const targets = new Set<AdmissionTarget>();
  const pins = createPins({ plan, parts, usesStore, onChange: () => readmit(targets, parts) });
  const decide = createDecider({ layers, pins, isPinning, parts });
  const servers = new Map<string, true>();
  let latestServer: string | undefined;
  /** Tools on offer that are new: an approval ends that. */
  const fresh = new Map<string, QuarantinedTool>();
  const asNew = (): AdmissionDecision => ({ decision: "quarantine", stage: "pins", rule: "pins", why: "is new" });
  const newTools = (): readonly HeldTool[] =>
    Array.from(fresh.values())
      .filter(({ definition, server }) => decide(definition, server).stage !== "pins" && pins.isNew(definition, server))
      .flatMap((tool) => describeHeld(tool, asNew, pins) ?? []);
  const held = (): readonly HeldTool[] =>
    quarantinedIn(targets).flatMap((tool) => describeHeld(tool, decide, pins) ?? []);

  return {
    admit(definition, server) {
      const { id = "" } = server ?? {};
      if (id !== latestServer) keepLatest(servers, [id, true], mostServers);
      latestServer = id;
      if (isPinning) pins.note(definition, server);
      else if (usesStore) pins.read();
      if (parts.isNew?.(definition, server) === true)
        keepLatest(fresh, [keyOf(definition), { definition, server }], mostNew);
      return admissions[decide(definition, server).decision];
    },
    interceptor: isPinning || layers.some(mayHoldBack) ? createBackstop(decide, parts) : undefined,
    requestInterceptor: createRequestGuard(layers),
    unmatchedRules,
    isNew: pins.isNew,
    decide,
    explain(definition, server) {
      const subject = toolSubject(definition, server, parts);
      const verdict = usesStore ? pins.judge(definition, server) : undefined;
      const owner = subject.serverId === "" ? "on no server" : `of server ${JSON.stringify(subject.serverId)}`;
      const { decision } = decide(definition, server);
      const ruled = decideByRules(layers, subject, verdict?.approved === true);
      return [
        `Tool ${quoteText(subject.toolName)} ${owner} is ${outcomes[decision]}.`,
        ...(layers.length === 0 ? [] : [`By the rules it ${ruled.why}.`]),
        ...(isPinning && verdict !== undefined ? [`By pins it ${verdict.why}.`] : []),
        ...(isPinning && verdict !== undefined && approvable.has(verdict.kind)
          ? [
              `To change it, approve it: approveTools(${JSON.stringify(subject.serverId)}, [${quoteText(subject.toolName)}]).`,
            ]
          : []),
      ];
    },
    attach(target) {
      if (typeof target.readmit !== "function" || typeof target.quarantined !== "function") {
        throw new TypeError("only a provider or a toolbox can be attached: what has readmit() and quarantined()");
      }
      targets.add(target);
      const detach = (): void => void targets.delete(target);
      return Object.assign(detach, { [Symbol.dispose]: detach });
    },
    ready: () => pins.ready(),
    reload: () => pins.reload(),
    held,
    async approve(serverId, wanted) {
      if (targets.size === 0) {
        throw new TypeError("nothing is attached: call attach(provider) first, so that it is known what is held back");
      }
      const ofServer = [...held(), ...newTools()].filter((tool) => tool.serverId === serverId);
      const { tools, left } = chooseHeld(ofServer, wanted);
      if (tools.length > 0) await pins.approve(serverId, tools);
      else if (!servers.has(serverId)) throw unknownServer(serverId);
      return { approved: Array.from(new Set(tools.map(({ toolName }) => toolName))).sort(), left };
    },
    async revoke(serverId, toolNames) {
      if (usesStore) await pins.revoke(serverId, toolNames);
    },
    close: () => pins.close(),
  };
}

/** Lists the tools that are held back, each once, sorted by server and name. */
function quarantinedIn(targets: ReadonlySet<AdmissionTarget>): readonly QuarantinedTool[] {
  const all = Array.from(targets).flatMap((target) => target.quarantined());
  const byKey = Array.from(new Map(all.map((tool) => [keyOf(tool.definition), tool])));
  return byKey.sort(([a], [b]) => compareText(a, b)).map(([, tool]) => tool);
}

/** Has all targets ask again. Never throws; one that was closed is let go. */
function readmit(targets: Set<AdmissionTarget>, parts: PolicyParts): void {
  for (const target of Array.from(targets)) {
    try {
      target.readmit();
    } catch (error) {
      if (isHostsideError(error, "closed")) targets.delete(target);
      else parts.emit({ type: "part-failed", at: clock.date(), part: "attached", error });
    }
  }
}

interface DeciderInit {
  readonly layers: readonly RuleLayer[];
  readonly pins: Pick<Pins, "epoch" | "judge">;
  readonly isPinning: boolean;
  readonly parts: PolicyParts;
}

/**
 * Decides by rules and pins: the stricter one counts. The same answer for the same definition until
 * the epoch of the pins is another one.
 */
function createDecider({ layers, pins, isPinning, parts }: DeciderInit): ToolAdmission["decide"] {
  const decideAnew = ({ definition, server }: QuarantinedTool): AdmissionDecision => {
    const subject = toolSubject(definition, server, parts);
    const ruled = decideByRules(layers, subject, false);
    // Neither needs a look at the tool itself, which costs a hash.
    if (ruled.decision === "deny" || (!isPinning && ruled.decision !== "quarantine")) return ruled;
    const { approved, held, rule, why } = pins.judge(definition, server);
    const final = decideByRules(layers, subject, approved);
    if (!held || final.decision === "quarantine") return final;
    return { decision: "quarantine", stage: "pins", rule, why };
  };
  const known = new WeakMap<ToolDefinition, Known>();
  // Ten thousand tools of a server have the same.
  let last: Known | undefined;
  return (definition, server) => {
    const { epoch } = pins;
    const before = known.get(definition);
    if (before !== undefined && before.epoch === epoch && before.server === server) return before.decision;
    const decision = decideAnew({ definition, server });
    if (last?.server !== server || last?.epoch !== epoch || last.decision !== decision)
      last = { server, epoch, decision };
    known.set(definition, last);
    return decision;
  };
}

function createBackstop(decide: ToolAdmission["decide"], parts: PolicyParts): Interceptor {
  const refuse: Interceptor = async (call, next) => {
    const { decision, stage, rule, why: reason } = decide(call.definition, call.server);
    if (admissions[decision] === "offer") return next(call);
    const code = decision === "deny" ? "not_allowed" : "tool_quarantined";
    throw refuseCall(call, { stage, code, reason, rule }, parts);
  };
  const passes = ({ definition, server }: ToolCall): boolean =>
    admissions[decide(definition, server).decision] === "offer";
  return Object.assign(refuse, { passes });
}

interface Known {
  readonly server: AdmissionServer | undefined;
  readonly epoch: number;
  readonly decision: AdmissionDecision;
}

/** How a tool is held back where an approval changes that. */
const approvable: ReadonlySet<PinKind> = new Set<PinKind>(["drifted", "new", "unpinned", "other-words"]);

const outcomes: Readonly<Record<RuleAction, string>> = {
  allow: "on offer",
  approval: "on offer, and each call of it is to be approved",
  quarantine: "held back: shown to the host alone, and a call is refused with tool_quarantined",
  deny: "hidden, and a call fails as if there were no such tool (unknown_tool)",
};

/** Identifies a tool as it is now: a provider's tool and the toolbox's copy of it are one. */
function keyOf({ origin, name, fingerprint }: ToolDefinition): string {
  return JSON.stringify([origin?.serverId ?? "", origin?.toolName ?? name, fingerprint]);
}

function mayHoldBack({ byDefault, rules }: RuleLayer): boolean {
  return ["deny", "quarantine"].includes(byDefault.decision) || rules.some(({ kind }) => kind === "deny");
}

// Suggests no other id: it may be a server of somebody else.
function unknownServer(serverId: string): HostsideError {
  const message = `no tool of a server ${quoteText(serverId)} was ever listed where this policy decides`;
  return new HostsideError(message, { code: "unknown_server", outcome: "not-sent", serverId: serverId || undefined });
}

function createRequestGuard(layers: readonly RuleLayer[]): RequestInterceptor {
  return (request, next) => {
    const { serverId, server, method } = request;
    if (!ruledMethods.test(method)) return next(request);
    const denied = findDeny(layers, { serverId, toolName: method, labels: server?.labels ?? {}, effect: "pure" });
    if (denied === undefined) return next(request);
    const message = `${method} of server ${quoteText(serverId)} ${denied.why}`;
    const details = { operation: method, policy: denied.rule };
    return Promise.reject(new HostsideError(message, { code: "not_allowed", serverId, details }));
  };
}
