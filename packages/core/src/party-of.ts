import type { CallContext } from "./call-context.ts";

/**
 * Between whom a server's calls take turns, and whose time stands still while one of them is asked something: conversations, and principals where a context names no
 * conversation. `undefined` for a context that names neither: nobody in particular.
 */
export function partyOf(context: CallContext | undefined): string | undefined {
  return context?.conversation ?? context?.principal;
}
