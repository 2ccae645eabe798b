import { inOption } from "../contract/check-options.ts";
import type { Cancel, Diagnostic } from "@hostside/core";
import { quoteText, credentialsOf } from "@hostside/core/implement";
import type { Toolbox } from "@hostside/discovery";
import { createPolicy, type Policy, type PolicyOptions, type StricterRules } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { OpenProviders } from "./open-providers.ts";
import type { PartsContext } from "./parts-context.ts";

/**
 * Takes the policy of the options, or makes one, which asks about the tools of servers whose entry
 * says so.
 */
export function choosePolicy(context: Omit<PartsContext, "policy">): Policy {
  const { configuration, state, report } = context;
  const { policy: given, config, sharedServers, providers } = context.options;
  // The type of the option alone leaves the event of a policy out.
  if (given !== undefined && "explain" in given) return given as Policy;
  if (!state.outlives && given?.state === undefined && given?.pins !== undefined) report(forgottenPins);
  const { stricter = [], redact, approval, servers: later = [], ...rest } = given ?? {};
  const secrets = followSecrets(configuration);
  const ids = Array.isArray(later) ? [...configuration.specs.map(({ id }) => id), ...later] : later;
  const policy = inOption("policy", () =>
    createPolicy({
      state,
      ...(configuration.config !== undefined && {
        breaker: { servers: (id) => configuration.extrasOf(id)?.breaker === true },
      }),
      ...rest,
      servers: ids,
      stricter: Array.isArray(stricter) ? [...stricter, approvalRules] : stricter,
      ...(redact !== undefined && { redact: withSecrets(redact, secrets) }),
      approval: { secrets, ...approval },
    }),
  );
  const absent = policy.unmatchedRules(ids, []).find(({ serverId }) => serverId !== "");
  const isOpen = [config, sharedServers, providers?.[0]].some((source) => source !== undefined);
  if (isOpen || absent === undefined) return policy;
  const known = ids.slice(0, 20).map((id) => quoteText(id));
  throw new TypeError(
    `policy: ${absent.message} Servers of this host: ${known.join(", ") || "none"}; name one that is added later in policy.servers`,
  );
}

const forgottenPins: Diagnostic = {
  kind: "not-kept",
  serverId: "",
  message:
    "pins are kept in the memory of this process alone: after a restart, servers are at their first use again; set state",
};

/**
 * Reports rules that match nothing, and servers with `approval: "always"` about which a policy that
 * was handed in does not ask, each once, as soon as that is sure.
 */
export function followUnmatchedRules(
  { options, policy, configuration, report }: PartsContext,
  { providers, onStatusChanged }: Pick<OpenProviders, "providers" | "onStatusChanged">,
  toolbox: Pick<Toolbox, "tools">,
): Cancel {
  const given = options.policy ?? {};
  const isReady = "explain" in given;
  const later = isReady ? [] : (given.servers ?? []);
  const reported = new Set<string>();
  const each = <T>(read: (provider: McpProvider) => readonly T[]): readonly T[] => Array.from(providers, read).flat();
  // Servers of which the policy lets tools be called unasked.
  const unasked = (): readonly Diagnostic[] => {
    const ids = configuration.specs.filter(({ labels }) => labels?.["approval"] === "always").map(({ id }) => id);
    const free = each((provider) => (ids.length === 0 ? [] : provider.tools())).filter(
      (tool) => tool.requireApproval !== false && !policy.requiresApproval(tool),
    );
    return ids
      .filter((id) => free.some(({ origin }) => origin?.serverId === id))
      .map((serverId) => ({
        kind: "setting-unused",
        serverId,
        message: `server ${quoteText(serverId)}: not used: approval: "always": policy is ready-made and does not ask; give options in place of it, or a rule for labels: ${JSON.stringify(approvalLabel)}`,
      }));
  };
  const find = (): readonly Diagnostic[] => {
    const ids = [...configuration.specs.map(({ id }) => id), ...later];
    // With all rules matched, or without rules, a status changes nothing.
    if (!isReady && policy.unmatchedRules(ids, ids).length === 0) return [];
    const listed = each((provider) => provider.statuses()).filter(({ state }) => state === "ready");
    const readyIds = listed.map(({ id }) => id);
    const all = [...policy.unmatchedRules(ids, readyIds), ...(isReady ? unasked() : [])];
    return all.filter(({ message }) => !reported.has(message));
  };
  const check = (): void => {
    // Until tools are read, rules for them have matched none.
    if (find().length > 0) {
      each((provider) => provider.tools());
      toolbox.tools();
    }
    for (const diagnostic of find()) {
      reported.add(diagnostic.message);
      report(diagnostic);
    }
  };
  check();
  return onStatusChanged(check);
}

const approvalLabel = "approval:always";

/**
 * Asks about tools of servers with `approval: "always"`, but for those of which their entries say
 * that nobody needs to.
 */
const approvalRules: StricterRules = {
  name: "approval",
  labels: approvalLabel,
  allow: [{ requireApproval: false }],
  defaultDecision: "approval",
};

type Redaction = NonNullable<PolicyOptions["redact"]>;

function withSecrets(redact: Redaction, secrets: () => readonly string[]): Redaction {
  const { values } = redact;
  return {
    ...redact,
    values: (context) => [...(typeof values === "function" ? values(context) : (values ?? [])), ...secrets()],
  };
}

// A part of a credential may be short, and shorter ones would be found everywhere. A policy tells
// of what is short as a whole.
const shortestSecret = 6;

/**
 * The secrets that a host knows of its servers: those that its configuration took from variables,
 * files and inputs, and the credentials that stand in the specs that are used. Values that a
 * project ships are no secrets: a project could hide by them what another server says or is sent.
 */
function followSecrets(configuration: Pick<Configuration, "config" | "specs">): () => readonly string[] {
  let known: readonly unknown[] = [];
  let secrets: readonly string[] = [];
  return () => {
    const { config, specs } = configuration;
    if (known[0] === config && known[1] === specs) return secrets;
    known = [config, specs];
    const inSpecs = specs
      .filter(({ labels }) => labels?.["scope"] !== "project")
      .flatMap(credentialsOf)
      .filter(({ length }) => length >= shortestSecret);
    secrets = Array.from(new Set([...(config?.secrets ?? []), ...inSpecs]));
    return secrets;
  };
}
