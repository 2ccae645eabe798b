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

const endFields: Fields<EndOptions> = { drainMs: true, reason: true };
const operationFields: Fields<OperationOptions> = { signal: true };
const userFields: Fields<UserOperationOptions> = { ...operationFields, interactive: true };
const applyFields: Fields<ApplyOptions> = { ...endFields, ...userFields, timeoutMs: true };

/** Each throws a `TypeError` that names the option that is unknown or makes no sense. */
export function readRemoveOptions(options: EndOptions): EndOptions {
  assertKnownOptions("removeServer()", options, endFields);
  assertEnd(options);
  return options;
}

export function readApplyOptions(options: ApplyOptions): ApplyOptions {
  assertKnownOptions("applyServers()", options, applyFields);
  if (options.timeoutMs !== undefined) assertTimeoutMs(options.timeoutMs);
  assertEnd(options);
  assertUser(options);
  return options;
}

export function readUserOptions(operation: string, options: UserOperationOptions = {}): UserOperationOptions {
  assertKnownOptions(`${operation}()`, options, userFields);
  assertUser(options);
  return options;
}

export function readOperationOptions(operation: string, options: OperationOptions = {}): OperationOptions {
  assertKnownOptions(`${operation}()`, options, operationFields);
  assertUser(options);
  return options;
}

/** A spec in the place of an id would be quoted in errors, secrets and all. */
export function assertServerId(operation: string, id: unknown): void {
  if (typeof id !== "string")
    throw new TypeError(`${operation}(): the id of a server must be a string, not ${kindOf(id)}`);
}

function assertUser({ signal, interactive }: UserOperationOptions): void {
  if (signal !== undefined) assertSignal(signal);
  if (interactive !== undefined && typeof interactive !== "boolean") {
    throw new TypeError("interactive must be true or false");
  }
}

function assertEnd({ drainMs, reason }: EndOptions): void {
  assertReason(reason);
  if (drainMs === undefined || (typeof drainMs === "number" && drainMs >= 0 && drainMs <= longestTimeoutMs)) return;
  throw new TypeError(`drainMs must be a number from 0 to ${longestTimeoutMs}`);
}
