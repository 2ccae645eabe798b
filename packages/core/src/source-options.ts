import { assertKnownOptions, type Fields } from "./assert-known-options.ts";
import { assertSignal, assertTimeoutMs } from "./call-input.ts";
import type { InitOptions, RefreshOptions } from "./tool-provider.ts";

const initFields: Fields<InitOptions> = { signal: true, timeoutMs: true, retryFailed: true, toolName: true };
const refreshFields: Fields<RefreshOptions> = { signal: true, timeoutMs: true };

/**
 * Refuses options of `init()` that nothing reads, or that are of a wrong type. Throws a `TypeError`
 * that names the option.
 */
export function assertInitOptions(options: InitOptions): void {
  assertKnownOptions("init()", options, initFields);
  assertBounds(options);
  if (options.retryFailed !== undefined && typeof options.retryFailed !== "boolean") {
    throw new TypeError("retryFailed must be true or false");
  }
  if (options.toolName !== undefined && typeof options.toolName !== "string") {
    throw new TypeError("toolName must be a text");
  }
}

/** Refuses options of `refresh()`, as {@linkcode assertInitOptions} does those of `init()`. */
export function assertRefreshOptions(options: RefreshOptions): void {
  assertKnownOptions("refresh()", options, refreshFields);
  assertBounds(options);
}

function assertBounds({ signal, timeoutMs }: RefreshOptions): void {
  if (signal !== undefined) assertSignal(signal);
  if (timeoutMs !== undefined) assertTimeoutMs(timeoutMs);
}
