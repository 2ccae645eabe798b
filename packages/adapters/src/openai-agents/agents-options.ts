import type { RunContext } from "@openai/agents";
import type { CallContext, SuspendedCall, ToolDefinition } from "@hostside/core";
import { kindOf, type Fields } from "@hostside/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/**
 * Whether the framework asks before calls of a tool; or a function that it asks before each of them, with the arguments that the model
 * gave.
 */
export type AgentsApproval = boolean | ((runContext: RunContext, args: unknown, callId?: string) => Promise<boolean>);

/** How tools are given to the OpenAI Agents SDK. */
export interface AgentsOptions<Context = unknown> extends AdapterOptions {
  /**
   * Before which calls the framework interrupts the run and asks: decided once for each definition, by `true` or `false`, or by a function
   * that the framework asks for each call. Default: the definition's `requireApproval`. With a policy `policy.requiresApproval`,
   * and {@linkcode AgentsOptions.approveCall}; or `() => false` where the policy asks by a handler of its own.
   */
  readonly needsApproval?: ((definition: ToolDefinition) => AgentsApproval) | undefined;
  /**
   * Lets a call go on that a policy suspends after the framework's user approved it, such as `policy.approveCall`: one question for
   * both. It is used for calls that were approved in the run, and for no others. Default: a call that a policy suspends is an error that
   * the model reads.
   */
  readonly approveCall?: ((suspended: SuspendedCall) => string) | undefined;
  /** On whose behalf a run calls, from its own context; goes before `context`, member by member. Default: `context` alone. */
  readonly contextOf?: ((runContext: RunContext<Context>) => CallContext) | undefined;
}

const fields: Fields<AgentsOptions> = { ...adapterFields, needsApproval: true, approveCall: true, contextOf: true };

/** The options of this adapter, and those of every adapter. */
export interface ReadAgentsOptions<Context> extends Pick<
  AgentsOptions<Context>,
  "needsApproval" | "approveCall" | "contextOf"
> {
  readonly shared: AdapterOptions;
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readAgentsOptions<Context>(options: AgentsOptions<Context>): ReadAgentsOptions<Context> {
  assertAdapterOptions("createAgentsTools()", options, fields);
  const { needsApproval, approveCall, contextOf, ...shared } = options;
  for (const [name, value] of Object.entries({ needsApproval, approveCall, contextOf })) {
    if (value === undefined || typeof value === "function") continue;
    throw new TypeError(`${name} must be a function, not ${kindOf(value)}`);
  }
  return { needsApproval, approveCall, contextOf, shared };
}
