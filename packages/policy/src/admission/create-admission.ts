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
} from "@hostside/core";
import { createPins, type Pins } from "../pins/create-pins.ts";
import type { PinKind } from "../pins/judge-pin.ts";
import { readPinOptions } from "../pins/pin-options.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { refuseCall } from "../refuse.ts";
import { decide as decideByRules, findDeny } from "../rules/decide.ts";
import { readRules } from "../rules/read-rules.ts";
import type { ApprovalMode, RuleLayer, RuleAction } from "../rules/rule-options.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { watchRules } from "../rules/unmatched-rules.ts";
import { keepLatest } from "../seen-tools.ts";
import {
  chooseHeld,
  describeHeld,
  type AdmissionDecision,
  type AdmissionOptions,
  type AdmissionTarget,
  type HeldTool,
  type ToolAdmission,
} from "./tool-admission.ts";

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
  const held = (): readonly HeldTool[] => {
    const all = Array.from(targets).flatMap((target) => target.quarantined());
    return Array.from(new Map(all.map((tool) => [keyOf(tool.definition), tool])))
      .sort(([a], [b]) => compareText(a, b))
      .flatMap(([, tool]) => describeHeld(tool, decide, pins) ?? []);
  };

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
