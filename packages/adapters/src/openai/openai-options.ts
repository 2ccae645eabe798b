import type { Fields } from "@toolport/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import { readOwnFunctions, type OwnFunctionsOptions } from "../declare/own-functions.ts";
import type { SchemaProfile } from "../schema/schema-profile.ts";

/** How tools are declared to OpenAI's APIs, and their calls answered. */
export interface OpenaiOptions extends AdapterOptions, OwnFunctionsOptions {}

const fields: Fields<OpenaiOptions> = { ...adapterFields, ownFunctions: true };

/** Options that were read. */
export interface ReadOpenaiOptions {
  /** Those of every adapter. The product's own functions have room among the tools of a request. */
  readonly shared: AdapterOptions;
  readonly own: ReadonlySet<string>;
}

/** Checks the options. Throws a `TypeError` that names the one that is unknown or of a wrong type. */
export function readOpenaiOptions(owner: string, options: OpenaiOptions, profile: SchemaProfile): ReadOpenaiOptions {
  assertAdapterOptions(owner, options, fields);
  const { ownFunctions, ...shared } = options;
  const own = readOwnFunctions(ownFunctions);
  const limit = profile.maxTools?.value;
  const maxTools = shared.maxTools ?? (limit === undefined ? undefined : Math.max(1, limit - own.size));
  return { shared: { ...shared, maxTools }, own };
}
