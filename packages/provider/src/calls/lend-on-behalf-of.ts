import type { Connection } from "@hostside/core";
import { assertCallOptions, assertRequestOptions, onBehalfOf } from "@hostside/core/implement";

/**
 * A connection without layers, all of whose calls and requests are on behalf of this principal,
 * unless their context names another one.
 */
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
