import type { ToolsInput } from "@mastra/core/agent";
import { kindOf } from "@hostside/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/** How tools are given to Mastra. */
export interface MastraOptions extends AdapterOptions {
  /**
   * Tools of your own. They are declared first, and go before a tool of the source that has the
   * same name. Default none.
   */
  readonly tools?: ToolsInput | undefined;
  /**
   * How the model gets pictures, sounds and files: `"result"` in the result of the call; `"none"`
   * by type and size only, for a model or an API that takes none there. Default `"auto"`: `"none"`
   * where the provider of the model speaks Chat Completions (its id ends in `.chat`), where results
   * are texts alone; needs `prepareStep`.
   */
  readonly files?: "auto" | "result" | "none" | undefined;
}

const fields: Readonly<Record<keyof MastraOptions, true>> = {
  ...adapterFields,
  tools: true,
  files: true,
};
const ways: readonly unknown[] = ["auto", "result", "none"];

/** The options of this adapter with their defaults, and those of every adapter. */
export interface ReadMastraOptions {
  readonly tools: ToolsInput;
  readonly files: "auto" | "result" | "none";
  readonly shared: AdapterOptions;
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readMastraOptions(options: MastraOptions): ReadMastraOptions {
  assertAdapterOptions("createMastraTools()", options, fields);
  const { tools = {}, files = "auto", ...shared } = options;
  if (kindOf(tools) !== kindOf({})) throw new TypeError(`tools must be an object, not ${kindOf(tools)}`);
  if (!ways.includes(files)) throw new TypeError('files must be "auto", "result" or "none"');
  return { tools, files, shared };
}
