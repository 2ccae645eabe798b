import type { Clock, Lock, ServerSpec, Store } from "@hostside/core";
import { createPolicy, type Policy, type PolicyOptions, type StricterRules } from "@hostside/policy";
import type { HostOptions } from "../host-options.ts";

/** What a policy is made with. */
export interface PolicyMeans {
  readonly store: Store;
  readonly lock: Lock | undefined;
  readonly notices: PolicyOptions["notices"];
  readonly limitStore: PolicyOptions["limitStore"];
  readonly clock: Clock;
  readonly specs: readonly ServerSpec[];
  /** Secrets of the configuration, and credentials in what is used of it, as they are now. */
  readonly secrets: () => readonly string[];
}

/** Takes what was handed in, or makes a policy; one that is made here asks about the tools of servers of which a configuration says so. */
export function choosePolicy(given: HostOptions["policy"], means: PolicyMeans): Policy {
  if (given !== undefined && "explain" in given) return given;
  const { store, lock, notices, limitStore, clock, specs, secrets } = means;
  const { stricter = [], redact, ...rest } = given ?? {};
  return createPolicy({
    store,
    lock,
    notices,
    ...(given?.limits !== undefined && { limitStore }),
    clock,
    ...rest,
    stricter: [...stricter, approvalRules(specs)],
    ...(redact !== undefined && { redact: withSecrets(redact, secrets) }),
  });
}

/** Asks about tools of servers with `approval: "always"`, but for those of which their entries say that nobody needs to. */
function approvalRules(specs: readonly ServerSpec[]): StricterRules {
  const exempt = specs
    .filter(({ labels }) => labels?.["approval"] === "always")
    .flatMap(({ id, tools = {} }) =>
      Object.entries(tools).flatMap(([tool, override]) =>
        // In a rule a star stands for anything.
        override.requireApproval === false && !`${id}${tool}`.includes("*") ? [{ server: id, tool }] : [],
      ),
    );
  return {
    name: "approval",
    labels: "approval:always",
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
