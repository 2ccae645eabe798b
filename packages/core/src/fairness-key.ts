import type { CallContext } from "./call-context.ts";

/**
 * The key of the caller that a call belongs to: its conversation, as that of its principal, or its
 * principal where the context names no conversation. The calls of one server take turns by this
 * key, and a question stops the time of the calls with the same key. Each caller has one key, and
 * no other caller has it. `undefined`: anonymous; the context names neither.
 */
export function fairnessKeyOf(context: CallContext | undefined): string | undefined {
  if (context === undefined) return undefined;
  const { principal, conversation } = context;
  if (conversation === undefined) return principal === undefined ? undefined : `principal ${principal}`;
  return principal === undefined ? `conversation ${conversation}` : JSON.stringify([principal, conversation]);
}
