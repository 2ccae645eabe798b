import type { RunContext } from "@openai/agents";
import type { CallContext } from "@hostside/core";
import { kindOf, type Fields } from "@hostside/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/** How tools are given to the OpenAI Agents SDK. */
export interface AgentsOptions<Context = unknown> extends AdapterOptions {
  /**
   * On whose behalf a run calls, from its own context; goes before `context`, member by member.
   * Default: `context` alone.
   */
  readonly contextOf?: ((runContext: RunContext<Context>) => CallContext) | undefined;
}

const fields: Fields<AgentsOptions> = { ...adapterFields, contextOf: true };

/** The options of this adapter, and those of every adapter. */
export interface ReadAgentsOptions<Context> extends Pick<AgentsOptions<Context>, "contextOf"> {
  readonly shared: AdapterOptions;
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readAgentsOptions<Context>(options: AgentsOptions<Context>): ReadAgentsOptions<Context> {
  assertAdapterOptions("createAgentsTools()", options, fields);
  const { contextOf, ...shared } = options;
  if (contextOf !== undefined && typeof contextOf !== "function") {
    throw new TypeError(`contextOf must be a function, not ${kindOf(contextOf)}`);
  }
  return { contextOf, shared };
}
