import type { Lock, Notices, Store } from "@hostside/core";
import { isPlainObject, type Fields } from "@hostside/core/implement";
import type { AdmissionOptions } from "./admission/create-admission.ts";
import type { ApprovalOptions } from "./approval/approval-options.ts";
import type { BreakerOptions } from "./breaker/create-breaker.ts";
import type { CacheOptions } from "./cache/create-result-cache.ts";
import type { EffectOptions } from "./effects/create-effects.ts";
import type { Limit } from "./limits/limit-options.ts";
import type { LimitStore } from "./limits/limit-store.ts";
import type { PolicyEvent } from "./policy-event.ts";
import { assertFunctions } from "./read-options.ts";
import type { RedactionOptions } from "./redaction/create-redaction.ts";
import { ruleFields } from "./rules/rule-options.ts";
import type { RetryOptions } from "./retry/create-retry.ts";
import type { ValidationOptions } from "./validation/create-validation.ts";

/**
 * Where a policy keeps what outlives a call; a `createRedisState()` is one. Policies that share it
 * are replicas of one product.
 */
export interface PolicyState {
  /** Approvals and pins. */
  readonly store: Store;
  /** Makes a use of an approval exclusive among all that share it. Default: in this process. */
  readonly lock?: Lock | undefined;
  /**
   * By which one replica's approval, pin or revocation of tools reaches the others, which then read
   * `store` again and have what is attached ask again. {@linkcode Policy.close} ends the
   * subscription. Default: others see it when they call `reload()`, or start.
   */
  readonly notices?: Notices | undefined;
  /** Counts limits. Default: in memory, for this policy alone. */
  readonly limitStore?: LimitStore | undefined;
}

/**
 * Permissions, limits and approvals. Everything is off by default, with one exception: calls that
 * need an approval are refused where nobody can be asked. A rule, or the definition of a tool
 * (`requireApproval`), can require an approval.
 */
export interface PolicyOptions extends AdmissionOptions, EffectOptions {
  /** The approval of calls by a human. Default: nobody can be asked. */
  readonly approval?: ApprovalOptions | undefined;
  /**
   * Tells whether arguments and results are held to the schemas of their tools. Default: they are
   * not.
   */
  readonly validation?: ValidationOptions | undefined;
  /** Tells whether results of `pure` tools are given again. Default: they are not. */
  readonly cache?: CacheOptions | undefined;
  /** How often, how many at once and how much. Default: no limits. */
  readonly limits?: readonly Limit[] | undefined;
  /** When a call is tried again. Default: never. */
  readonly retry?: RetryOptions | undefined;
  /** When nothing is sent to a server that fails; see `requestSeam`. Default: never. */
  readonly breaker?: BreakerOptions | undefined;
  /**
   * Masks in results, errors and progress. Default: nothing; `{}` masks what is known to
   * be secret.
   */
  readonly redact?: RedactionOptions | undefined;
  /**
   * Told of every decision, with its reason. Must not throw. {@linkcode Policy.onEvent} does the
   * same for more listeners.
   */
  readonly onEvent?: ((event: PolicyEvent) => void) | undefined;
  /** What is kept, and shared by replicas. Default: in memory, until the process ends. */
  readonly state?: PolicyState | undefined;
}

/** The fields of {@linkcode PolicyOptions}. */
export const policyFields: Fields<PolicyOptions> = {
  ...ruleFields,
  pins: true,
  effects: true,
  limits: true,
  approval: true,
  validation: true,
  cache: true,
  retry: true,
  breaker: true,
  redact: true,
  onEvent: true,
  state: true,
};

/** Throws a `TypeError` for a state without a store, and a listener that is no function. */
export function assertPolicyParts({ state, onEvent }: PolicyOptions): void {
  assertFunctions("", { onEvent });
  if (state === undefined) return;
  const has = (member: "get" | "set" | "delete"): boolean => typeof state?.store?.[member] === "function";
  if (has("get") && has("set") && has("delete")) return;
  throw new TypeError("state.store must be a store, with get(), set() and delete()");
}

/** Tells whether a selector asks for new tools. Throws a `TypeError` where that cannot be known. */
export function asksForNewTools({ effects, pins, ...options }: PolicyOptions): boolean {
  const misplaced = findNew({ effects }, "");
  if (misplaced !== undefined) throw new TypeError(`${misplaced} cannot select new tools; rules and limits can`);
  const { allow, requireApproval, deny, stricter, limits } = options;
  const mode = options.approval?.mode;
  const place = findNew({ allow, requireApproval, deny, stricter, limits, mode }, "");
  if (place === undefined || pins !== undefined) return place !== undefined;
  const remedy = 'give pins, such as { unpinned: "allow" }, which holds back none';
  throw new TypeError(`${place} selects new tools, and without pins none are remembered: ${remedy}`);
}

function findNew(value: unknown, place: string): string | undefined {
  if (!Array.isArray(value) && !isPlainObject(value)) return undefined;
  if ("new" in value) return place;
  const pathTo = (key: string): string => (Array.isArray(value) ? `${place}[${key}]` : `${place}${place && "."}${key}`);
  return Object.entries(value)
    .map(([key, member]) => findNew(member, pathTo(key)))
    .find((found) => found !== undefined);
}
