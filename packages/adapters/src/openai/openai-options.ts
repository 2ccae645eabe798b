import type { Fields } from "@hostside/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import { readOwnFunctions, type OwnFunctionsOptions } from "../declare/own-functions.ts";

/** How tools are declared to OpenAI's APIs, and their calls answered. */
export interface OpenaiOptions extends AdapterOptions, OwnFunctionsOptions {}

const fields: Fields<OpenaiOptions> = { ...adapterFields, ownFunctions: true };

/** Options that were read. */
export interface ReadOpenaiOptions {
  /** Those of every adapter. */
  readonly shared: AdapterOptions;
  readonly own: ReadonlySet<string>;
}

/**
 * Checks the options. Throws a `TypeError` that names the one that is unknown or of a wrong type.
 */
export function readOpenaiOptions(owner: string, options: OpenaiOptions): ReadOpenaiOptions {
  assertAdapterOptions(owner, options, fields);
  const { ownFunctions, ...shared } = options;
  return { shared, own: readOwnFunctions(ownFunctions) };
}
