import type { CallContext } from "./call-context.ts";

/**
 * Between whom a server's calls take turns, and whose time stands still while one of them is asked something: conversations, each that of its principal, and principals where a context names no
 * conversation. The same text for the same party, and for no other one. `undefined` for a context that names neither: nobody in particular.
 */
export function partyOf(context: CallContext | undefined): string | undefined {
  if (context === undefined) return undefined;
  const { principal, conversation } = context;
  if (conversation === undefined) return principal === undefined ? undefined : `principal ${principal}`;
  return principal === undefined ? `conversation ${conversation}` : JSON.stringify([principal, conversation]);
}
