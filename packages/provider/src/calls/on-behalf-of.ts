import type { CallContext, Connection, RequestOptions } from "@toolport/core";
import { assertCallOptions, assertRequestOptions, lenderOf } from "@toolport/core/implement";

/** A context that names whoever asks: as it was given, or else this principal. What was given is never changed. */
export function contextOf(principal: string, given: CallContext | undefined): CallContext {
  return given?.principal === undefined ? { ...given, principal } : given;
}

/**
 * Options of a call or a request on behalf of this principal, unless their context names another one: who asks may not be the one whose credentials
 * a provider has. The same object where nothing is to be added.
 */
export function onBehalfOf<T extends RequestOptions>(principal: string | undefined, options: T): T {
  if (principal === undefined || options.context?.principal !== undefined) return options;
  const context = contextOf(principal, options.context);
  if (lenderOf(options) === undefined) return { ...options, context };
  // A spread would have a signal made that is lent, and that nobody may ever look at.
  const members = Object.getOwnPropertyDescriptors<RequestOptions>(options);
  return Object.defineProperties({}, { ...members, context: { value: context, enumerable: true } }) as T;
}

/** The same of all that is asked on a connection without layers. */
export function lendOnBehalfOf(principal: string, lent: Connection): Connection {
  return {
    ...lent,
    async callTool(toolName, args, options = {}) {
      assertCallOptions(options);
      return lent.callTool(toolName, args, onBehalfOf(principal, options));
    },
    async request(method, params, options = {}) {
      assertRequestOptions(options);
      return lent.request(method, params, onBehalfOf(principal, options));
    },
    async subscribeResource(uri, options = {}) {
      assertRequestOptions(options);
      return lent.subscribeResource(uri, onBehalfOf(principal, options));
    },
  };
}
