import { HostsideError, type Interceptor, type QuarantinedTool, type RequestInterceptor } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { LRUCache } from "lru-cache";
import { createPins } from "../pins/create-pins.ts";
import { readPinOptions } from "../pins/pin-options.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { refuseCall } from "../refuse.ts";
import { findDeny } from "../rules/decide.ts";
import { readRules } from "../rules/read-rules.ts";
import type { RuleLayer } from "../rules/rule.ts";
import { toolSubject } from "../rules/tool-subject.ts";
import { watchRules } from "../rules/unmatched-rules.ts";
import { createTargets, keyOf } from "./admission-targets.ts";
import { createDecider } from "./decide-admission.ts";
import { explainAdmission } from "./explain-admission.ts";
import { chooseHeld, describeHeld } from "./held-tools.ts";
import type { AdmissionDecision, AdmissionOptions, HeldTool, ToolAdmission } from "./tool-admission.ts";

const mostServers = 100_000;
const mostNew = 10_000;
const ruledMethods = /^(?:resources|prompts|completion)\//;
const admissions = { allow: "offer", approval: "offer", quarantine: "quarantine", deny: "hide" } as const;

/**
 * Makes the one place that decides what is on offer. Throws a `TypeError` that names rule and field
 * for options that make no sense.
 */
export function createAdmission(options: AdmissionOptions, parts: PolicyParts): ToolAdmission {
  const [layers, unmatchedRules] = watchRules(readRules(options));
  const plan = readPinOptions(options.pins);
  const isPinning = plan.unpinned !== "off";
  const usesStore = isPinning || layers.some(({ defaultDecision }) => defaultDecision === "quarantine");
  const targets = createTargets(parts);
  const pins = createPins({ plan, parts, usesStore, onChange: () => targets.readmit() });
  const decide = createDecider({ layers, pins, isPinning, parts });
  // A bound, because users may bring servers; whoever was not asked about for so long is not on
  // offer.
  const servers = new LRUCache<string, true>({ max: mostServers });
  // Tools on offer that are new: an approval ends that.
  const fresh = new LRUCache<string, QuarantinedTool>({ max: mostNew });
  const asNew = (): AdmissionDecision => ({ decision: "quarantine", stage: "pins", rule: "pins", why: "is new" });
  const newTools = (): readonly HeldTool[] =>
    Array.from(fresh.values())
      .filter(({ definition, server }) => decide(definition, server).stage !== "pins" && pins.isNew(definition, server))
      .flatMap((tool) => describeHeld(tool, asNew, pins) ?? []);
  const held = (): readonly HeldTool[] =>
    targets.quarantined().flatMap((tool) => describeHeld(tool, decide, pins) ?? []);

  return {
    admit(definition, server) {
      servers.set(server?.id ?? "", true);
      if (isPinning) pins.note(definition, server);
      else if (usesStore) pins.read();
      if (parts.isNew?.(definition, server) === true) fresh.set(keyOf(definition), { definition, server });
      return admissions[decide(definition, server).decision];
    },
    interceptor: isPinning || layers.some(mayHoldBack) ? createBackstop(decide, parts) : undefined,
    requestInterceptor: createRequestGuard(layers),
    unmatchedRules,
    isNew: pins.isNew,
    decide,
    explain: (definition, server) =>
      explainAdmission({
        definition,
        decision: decide(definition, server).decision,
        layers,
        subject: toolSubject(definition, server, parts),
        verdict: usesStore ? pins.judge(definition, server) : undefined,
        isPinning,
        changes: pins.changesOf(definition, server),
      }),
    attach: (target) => targets.attach(target),
    ready: () => pins.ready(),
    reload: () => pins.reload(),
    held,
    async approve(serverId, wanted) {
      targets.assertAttached();
      const { tools, left } = chooseHeld(
        [...held(), ...newTools()].filter((tool) => tool.serverId === serverId),
        wanted,
      );
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

function mayHoldBack({ defaultDecision, rules }: RuleLayer): boolean {
  return defaultDecision === "deny" || defaultDecision === "quarantine" || rules.some(({ kind }) => kind === "deny");
}

// Suggests no other id: it may be a server of somebody else.
function unknownServer(serverId: string): HostsideError {
  const message = `no tool of a server ${quoteText(serverId)} was ever listed where this policy decides`;
  return new HostsideError(message, { code: "unknown_server", outcome: "not-sent", serverId: serverId || undefined });
}

function createBackstop(decide: ToolAdmission["decide"], parts: PolicyParts): Interceptor {
  return (call, next) => {
    const { decision, stage, rule, why: reason } = decide(call.definition, call.server);
    if (decision === "allow" || decision === "approval") return next(call);
    const code = decision === "deny" ? "not_allowed" : "tool_quarantined";
    return Promise.reject(refuseCall(call, { stage, code, reason, rule }, parts));
  };
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
