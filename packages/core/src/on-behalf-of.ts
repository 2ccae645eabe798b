import type { CallContext } from "./call-context.ts";
import type { RequestOptions } from "./connection.ts";

/**
 * A context that names whoever asks: as it was given, or else this principal. What was given is
 * never changed.
 */
export function contextOnBehalfOf(principal: string, given: CallContext | undefined): CallContext {
  return given?.principal === undefined ? { ...given, principal } : given;
}

/**
 * Options of a call or a request on behalf of this principal, unless their context names another
 * one: who asks may not be the one whose credentials a provider has. The same object where nothing
 * is to be added.
 */
export function onBehalfOf<T extends RequestOptions>(principal: string | undefined, options: T): T {
  if (principal === undefined || options.context?.principal !== undefined) return options;
  return { ...options, context: contextOnBehalfOf(principal, options.context) };
}
