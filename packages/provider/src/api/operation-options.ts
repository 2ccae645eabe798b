import { longestTimeoutMs } from "@hostside/core";
import {
  assertKnownOptions,
  assertReason,
  assertSignal,
  assertTimeoutMs,
  kindOf,
  type Fields,
} from "@hostside/core/implement";
import type { ApplyOptions, EndOptions, OperationOptions, UserOperationOptions } from "./mcp-provider.ts";

export const endFields: Fields<EndOptions> = { drainMs: true, reason: true };
export const operationFields: Fields<OperationOptions> = { signal: true };
export const userFields: Fields<UserOperationOptions> = { ...operationFields, interactive: true };
export const applyFields: Fields<ApplyOptions> = { ...endFields, ...userFields, timeoutMs: true };

/**
 * Reads the options of an operation. Throws a `TypeError` that names the option that is unknown or
 * makes no sense.
 */
export function readOptions<Options extends ApplyOptions>(
  operation: string,
  options: Options | undefined,
  fields: Fields<Options>,
): Options {
  const given = options ?? ({} as Options);
  assertKnownOptions(`${operation}()`, given, fields);
  const { signal, interactive, drainMs, reason, timeoutMs } = given;
  if (signal !== undefined) assertSignal(signal);
  if (interactive !== undefined && typeof interactive !== "boolean")
    throw new TypeError("interactive must be true or false");
  if (timeoutMs !== undefined) assertTimeoutMs(timeoutMs);
  assertReason(reason);
  if (drainMs !== undefined && !(typeof drainMs === "number" && drainMs >= 0 && drainMs <= longestTimeoutMs))
    throw new TypeError(`drainMs must be a number from 0 to ${longestTimeoutMs}`);
  return given;
}

/** A spec in the place of an id would be quoted in errors, secrets and all. */
export function assertServerId(operation: string, id: unknown): void {
  if (typeof id !== "string")
    throw new TypeError(`${operation}(): the id of a server must be a string, not ${kindOf(id)}`);
}
