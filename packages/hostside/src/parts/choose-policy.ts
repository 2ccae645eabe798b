import { inOption } from "../check-options.ts";
import type { Cancel, Diagnostic, Lock, Store, ServerSpec } from "@hostside/core";
import { quoteText, credentialsOf } from "@hostside/core/implement";
import type { Toolbox } from "@hostside/discovery";
import { createPolicy, type Policy, type PolicyOptions, type StricterRules } from "@hostside/policy";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { HostOptions } from "../host-options.ts";
import type { OpenProviders } from "./open-provider.ts";
import type { PartsContext } from "./parts-context.ts";
import type { LoadedConfig } from "@hostside/config/node";

/** What a policy is made with. */
export interface PolicyMeans {
  readonly store: Store;
  readonly lock: Lock | undefined;
  readonly notices: PolicyOptions["notices"];
  readonly limitStore: PolicyOptions["limitStore"];
  readonly configuration: Configuration;
  /** Whether the store is still there when this process has ended. */
  readonly outlives: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Takes what was handed in, or makes a policy; one that is made here asks about the tools of
 * servers of which a configuration says so.
 */
export function choosePolicy(options: HostOptions, means: PolicyMeans): Policy {
  const { policy: given, config, sharedServers, providers } = options;
  // The type of the option alone leaves the event of a policy out.
  if (given !== undefined && "explain" in given) return given as Policy;
  const { store, lock, notices, limitStore, configuration } = means;
  const { specs } = configuration;
  if (!means.outlives && given?.store === undefined && given?.pins !== undefined) means.report(forgottenPins);
  const { stricter = [], redact, approval, servers: later = [], ...rest } = given ?? {};
  const secrets = followSecrets(() => configuration);
  const ids = Array.isArray(later) ? [...specs.map(({ id }) => id), ...later] : later;
  const policy = inOption("policy", () =>
    createPolicy({
      store,
      lock,
      notices,
      ...(given?.limits !== undefined && { limitStore }),
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
  const known =
    ids
      .slice(0, 20)
      .map((id) => quoteText(id))
      .join(", ") || "none";
  throw new TypeError(
    `policy: ${absent.message} Servers of this host: ${known}; name one that is added later in policy.servers`,
  );
}

const forgottenPins: Diagnostic = {
  kind: "not-kept",
  serverId: "",
  message:
    "pins are kept in the memory of this process alone: after a restart, servers are at their first use again; set state",
};

/** What rules are held against. */
export interface UnmatchedMeans
  extends
    Pick<PartsContext, "options" | "policy" | "configuration" | "report">,
    Pick<OpenProviders, "providers" | "onStatusChanged"> {
  readonly toolbox: Pick<Toolbox, "tools">;
}

/**
 * Reports rules that match nothing, and servers with `approval: "always"` about which a policy that
 * was handed in does not ask, each once, as soon as that is sure.
 */
export function followUnmatchedRules(means: UnmatchedMeans): Cancel {
  const { options, policy, configuration, providers, onStatusChanged, toolbox, report } = means;
  const given = options.policy ?? {};
  const isReady = "explain" in given;
  const later = isReady ? [] : (given.servers ?? []);
  const reported = new Set<string>();
  const find = (): readonly Diagnostic[] => {
    const ids = [...configuration.specs.map(({ id }) => id), ...later];
    // With all rules matched, or without rules, a status changes nothing.
    if (!isReady && policy.unmatchedRules(ids, ids).length === 0) return [];
    const listed = Array.from(providers, (provider) => provider.statuses())
      .flat()
      .filter(({ state }) => state === "ready");
    const unmatched = policy.unmatchedRules(
      ids,
      listed.map(({ id }) => id),
    );
    return [...unmatched, ...(isReady ? unasked(means) : [])].filter(({ message }) => !reported.has(message));
  };
  const check = (): void => {
    // Until tools are read, rules for them have matched none.
    if (find().length > 0) {
      for (const provider of providers) provider.tools();
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

/** Finds servers with `approval: "always"` of which the policy lets tools be called unasked. */
function unasked({ policy, configuration, providers }: UnmatchedMeans): readonly Diagnostic[] {
  const ids = configuration.specs.filter(({ labels }) => labels?.["approval"] === "always").map(({ id }) => id);
  if (ids.length === 0) return [];
  const free = Array.from(providers, (provider) => provider.tools())
    .flat()
    .filter((tool) => tool.requireApproval !== false && !policy.requiresApproval(tool));
  return ids
    .filter((id) => free.some(({ origin }) => origin?.serverId === id))
    .map((serverId) => ({
      kind: "setting-unused",
      serverId,
      message: `server ${quoteText(serverId)}: not used: approval: "always": policy is ready-made and does not ask; give options in place of it, or a rule for labels: ${JSON.stringify(approvalLabel)}`,
    }));
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

/** What secrets are read from. */
export interface SecretSources {
  readonly config: LoadedConfig | undefined;
  readonly specs: readonly ServerSpec[];
}

// A part of a credential may be short, and shorter ones would be found everywhere. A policy tells
// of what is short as a whole.
const shortestSecret = 6;

/**
 * The secrets that a host knows of its servers: those that its configuration took from variables,
 * files and inputs, and the credentials that stand in the specs that are used. What a project ships
 * is none: with it, a project could hide what another server says or is sent.
 */
function followSecrets(read: () => SecretSources): () => readonly string[] {
  let known: SecretSources & { readonly secrets: readonly string[] } = { config: undefined, specs: [], secrets: [] };
  return () => {
    const { config, specs } = read();
    if (config !== known.config || specs !== known.specs) {
      const inSpecs = specs
        .filter(({ labels }) => labels?.["scope"] !== "project")
        .flatMap(credentialsOf)
        .filter(({ length }) => length >= shortestSecret);
      known = { config, specs, secrets: Array.from(new Set([...(config?.secrets ?? []), ...inSpecs])) };
    }
    return known.secrets;
  };
}
