import type { Cancel, Clock, Diagnostic, Lock, ServerSpec, Store } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { Toolbox } from "@hostside/discovery";
import { createPolicy, type Policy, type PolicyOptions, type StricterRules } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import type { Configuration } from "../configuration/open-configuration.ts";
import type { HostOptions } from "../host-options.ts";
import { followSecrets } from "./follow-secrets.ts";
import type { PartsContext } from "./parts-context.ts";

/** What a policy is made with. */
export interface PolicyMeans {
  readonly store: Store;
  readonly lock: Lock | undefined;
  readonly notices: PolicyOptions["notices"];
  readonly limitStore: PolicyOptions["limitStore"];
  readonly clock: Clock;
  readonly configuration: Configuration;
}

/**
 * Takes what was handed in, or makes a policy; one that is made here asks about the tools of
 * servers of which a configuration says so.
 */
export function choosePolicy(options: HostOptions, means: PolicyMeans): Policy {
  const { policy: given, config, sharedServers, providers } = options;
  // The type of the option alone leaves the event of a policy out.
  if (given !== undefined && "explain" in given) return given as Policy;
  const { store, lock, notices, limitStore, clock, configuration } = means;
  const { specs } = configuration;
  const { stricter = [], redact, servers: later = [], ...rest } = given ?? {};
  const ids = Array.isArray(later) ? [...specs.map(({ id }) => id), ...later] : later;
  const policy = createPolicy({
    store,
    lock,
    notices,
    ...(given?.limits !== undefined && { limitStore }),
    clock,
    ...(configuration.config !== undefined && {
      breaker: { servers: (id) => configuration.extrasOf(id)?.breaker === true },
    }),
    ...rest,
    servers: ids,
    stricter: Array.isArray(stricter) ? [...stricter, approvalRules(specs)] : stricter,
    ...(redact !== undefined && {
      redact: withSecrets(
        redact,
        followSecrets(() => configuration),
      ),
    }),
  });
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

/** What rules are held against. */
export interface UnmatchedMeans extends Pick<PartsContext, "policy" | "configuration" | "report"> {
  readonly provider: Pick<McpProvider, "statuses" | "onStatusChanged">;
  readonly toolbox: Pick<Toolbox, "tools">;
}

/** Reports rules that match nothing, each once, as soon as that is sure. */
export function followUnmatchedRules({ policy, configuration, provider, toolbox, report }: UnmatchedMeans): Cancel {
  const reported = new Set<string>();
  const find = (): readonly Diagnostic[] => {
    const listed = provider.statuses().filter(({ state }) => state === "ready");
    const [ids, listedIds] = [configuration.specs, listed].map((all) => all.map(({ id }) => id));
    return policy.unmatchedRules(ids ?? [], listedIds ?? []).filter(({ message }) => !reported.has(message));
  };
  const check = (): void => {
    // Until the toolbox is read, rules for the host's own tools have matched none.
    if (find().length > 0) toolbox.tools();
    for (const diagnostic of find()) {
      reported.add(diagnostic.message);
      report(diagnostic);
    }
  };
  check();
  return provider.onStatusChanged(check);
}

const approvalLabel = "approval:always";

/**
 * Asks about tools of servers with `approval: "always"`, but for those of which their entries say
 * that nobody needs to.
 */
function approvalRules(specs: readonly ServerSpec[]): StricterRules {
  const exempt = specs
    .filter(({ labels }) => labels?.["approval"] === "always")
    .flatMap(({ id, tools = {} }) =>
      Object.entries(tools).flatMap(([tool, override]) =>
        // In a rule a star stands for anything.
        override.requireApproval === false && !`${id}${tool}`.includes("*")
          ? [{ server: id, tool, labels: approvalLabel }]
          : [],
      ),
    );
  return {
    name: "approval",
    labels: approvalLabel,
    ...(exempt.length > 0 && { allow: exempt }),
    defaultDecision: "approval",
  };
}

type Redaction = NonNullable<PolicyOptions["redact"]>;

function withSecrets(redact: Redaction, secrets: () => readonly string[]): Redaction {
  const { values } = redact;
  return {
    ...redact,
    values: (context) => [...(typeof values === "function" ? values(context) : (values ?? [])), ...secrets()],
  };
}
