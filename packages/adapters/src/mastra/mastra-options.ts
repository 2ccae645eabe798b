import type { ToolsInput } from "@mastra/core/agent";
import type { NeedsApprovalContext } from "@mastra/core/tools";
import type { SuspendedCall, ToolDefinition } from "@hostside/core";
import { kindOf } from "@hostside/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/** Whether Mastra asks before calls of a tool; or a function that it asks before each of them, with the arguments that the model gave. */
export type MastraApproval = boolean | ((input: unknown, context?: NeedsApprovalContext) => boolean | Promise<boolean>);

/** How tools are given to Mastra. */
export interface MastraOptions extends AdapterOptions {
  /** Tools of your own. They are declared first, and go before a tool of the source that has the same name. Default none. */
  readonly tools?: ToolsInput | undefined;
  /**
   * Before which calls the run stops and asks: decided once for each definition, by `true` or `false`, or by a function that Mastra asks for each
   * call, and again when the call goes on. Default: the definition's `requireApproval`. With a policy
   * `(definition) => policy.requiresApproval(definition)` and {@linkcode MastraOptions.approveCall}; or `() => false` where the policy
   * asks by a handler of its own. A function goes before `requireToolApproval` of the agent.
   */
  readonly needsApproval?: ((definition: ToolDefinition) => MastraApproval) | undefined;
  /**
   * Lets a call go on that a policy suspends after it was approved in the run, such as `policy.approveCall`: one question for both. It is used
   * for calls that {@linkcode MastraOptions.needsApproval} wanted approved, and for no others. Default: a call that a policy suspends
   * is an error that the model reads.
   */
  readonly approveCall?: ((suspended: SuspendedCall) => string) | undefined;
  /**
   * How the model gets pictures, sounds and files: `"result"` in the result of the call; `"none"` by type and size only, for a model or an API that takes
   * none there. Default `"auto"`: `"none"` where the provider of the model speaks Chat Completions (its id ends in `.chat`), where results are texts
   * alone; needs `prepareStep`.
   */
  readonly files?: "auto" | "result" | "none" | undefined;
}

const fields: Readonly<Record<keyof MastraOptions, true>> = {
  ...adapterFields,
  tools: true,
  needsApproval: true,
  approveCall: true,
  files: true,
};
const ways: readonly unknown[] = ["auto", "result", "none"];

/** The options of this adapter with their defaults, and those of every adapter. */
export interface ReadMastraOptions extends Pick<MastraOptions, "approveCall"> {
  readonly tools: ToolsInput;
  readonly needsApproval: (definition: ToolDefinition) => MastraApproval;
  readonly files: "auto" | "result" | "none";
  readonly shared: AdapterOptions;
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readMastraOptions(options: MastraOptions): ReadMastraOptions {
  assertAdapterOptions("createMastraTools()", options, fields);
  const { tools = {}, approveCall, files = "auto", needsApproval = requiresApproval, ...shared } = options;
  for (const [name, value] of Object.entries({ needsApproval, approveCall })) {
    if (value === undefined || typeof value === "function") continue;
    throw new TypeError(`${name} must be a function, not ${kindOf(value)}`);
  }
  if (kindOf(tools) !== kindOf({})) throw new TypeError(`tools must be an object, not ${kindOf(tools)}`);
  if (!ways.includes(files)) throw new TypeError('files must be "auto", "result" or "none"');
  return { tools, needsApproval, approveCall, files, shared };
}

function requiresApproval({ requireApproval }: ToolDefinition): boolean {
  return requireApproval === true;
}
