import { kindOf } from "@hostside/core/implement";
import type { ToolSet } from "ai";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/** How tools are given to the AI SDK. */
export interface AiSdkOptions extends AdapterOptions {
  /**
   * Tools of your own. They are declared first, and go before a tool of the source that has the
   * same name. Default none.
   */
  readonly tools?: ToolSet | undefined;
  /**
   * Whether calls report their progress as preliminary results, which `streamText` streams. The SDK
   * then streams each result twice, once as the last preliminary one. Default `false`.
   */
  readonly progress?: boolean | undefined;
  /**
   * How the model gets pictures, sounds and files: `"result"` in the result of the call;
   * `"message"` in a message of the user behind it, for APIs whose results are texts alone;
   * `"none"` by type and size only, for a model that takes none. Default `"auto"`: `"message"`
   * where the provider of the model speaks Chat Completions (its id ends in `.chat`), else
   * `"result"`. `"message"` and `"auto"` need `prepareStep`.
   */
  readonly files?: "auto" | "result" | "message" | "none" | undefined;
  /**
   * Most bytes of files, decoded, that the answer of one call carries in all. Default 65,536:
   * answers go to browsers, into databases and back with every request, and become prompt text
   * where the tool that gave them is not in the set any more. What is bigger is shown to the model
   * in this generation, and later only by type and size.
   */
  readonly maxFileBytes?: number | undefined;
}

const fields: Readonly<Record<keyof AiSdkOptions, true>> = {
  ...adapterFields,
  tools: true,
  progress: true,
  files: true,
  maxFileBytes: true,
};
const ways: readonly unknown[] = ["auto", "result", "message", "none"];

/** The options of this adapter with their defaults, and those of every adapter. */
export interface ReadAiSdkOptions {
  readonly tools: ToolSet;
  readonly progress: boolean;
  readonly files: "auto" | "result" | "message" | "none";
  readonly maxFileBytes: number;
  readonly shared: AdapterOptions;
}

/** Throws a `TypeError` that names the option that is unknown or of a wrong type. */
export function readAiSdkOptions(options: AiSdkOptions): ReadAiSdkOptions {
  assertAdapterOptions("createAiSdkTools()", options, fields);
  const { tools = {}, progress = false, files = "auto", ...rest } = options;
  const { maxFileBytes = 65_536, ...shared } = rest;
  if (kindOf(tools) !== kindOf({})) throw new TypeError(`tools must be an object, not ${kindOf(tools)}`);
  if (typeof progress !== "boolean") throw new TypeError("progress must be true or false");
  if (!ways.includes(files)) throw new TypeError('files must be "auto", "result", "message" or "none"');
  if (typeof maxFileBytes !== "number" || !(maxFileBytes >= 0)) {
    throw new TypeError("maxFileBytes must be a number of at least 0");
  }
  return { tools, progress, files, maxFileBytes, shared };
}
