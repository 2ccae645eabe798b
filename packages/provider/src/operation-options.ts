import { longestTimeoutMs, type RefreshOptions } from "@toolport/core";
import { assertKnownOptions, assertTimeoutMs, type Fields } from "@toolport/core/implement";
import type { ApplyOptions, EndOptions } from "./mcp-provider.ts";

const endFields: Fields<EndOptions> = { drainMs: true, reason: true };
const applyFields: Fields<ApplyOptions> = { ...endFields, signal: true, interactive: true };
const refreshFields: Fields<RefreshOptions> = { signal: true, timeoutMs: true };

/** Each throws a `TypeError` that names the option that is unknown or makes no sense. */
export function readRemoveOptions(options: EndOptions): EndOptions {
  assertKnownOptions("removeServer()", options, endFields);
  assertEnd(options);
  return options;
}

export function readApplyOptions(options: ApplyOptions): ApplyOptions {
  assertKnownOptions("applyServers()", options, applyFields);
  assertEnd(options);
  if (options.interactive !== undefined && typeof options.interactive !== "boolean") {
    throw new TypeError("interactive must be true or false");
  }
  return options;
}

export function readRefreshOptions(options: RefreshOptions): RefreshOptions {
  assertKnownOptions("refresh()", options, refreshFields);
  if (options.timeoutMs !== undefined) assertTimeoutMs(options.timeoutMs);
  return options;
}

// It is quoted in errors and sent to servers: a sentence, not a document.
const longestReason = 1000;

export function assertReason(reason: unknown): void {
  if (reason === undefined) return;
  if (typeof reason === "string" && reason.trim() !== "" && reason.length <= longestReason) return;
  throw new TypeError(`reason must be a text of 1 to ${longestReason} characters that is not blank`);
}

function assertEnd({ drainMs, reason }: EndOptions): void {
  assertReason(reason);
  if (drainMs === undefined || (typeof drainMs === "number" && drainMs >= 0 && drainMs <= longestTimeoutMs)) return;
  throw new TypeError(`drainMs must be a number from 0 to ${longestTimeoutMs}`);
}
