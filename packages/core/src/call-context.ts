import type { Fields } from "./options.ts";
import { isPlainObject, kindOf } from "./json.ts";
import { quoteText } from "./text.ts";

/**
 * The caller and its reasons: for the host's own layers alone. It reaches interceptors, events,
 * questions to a human and stores, and no server, which gets `meta`, unless the host passes context
 * on to it. Every member is the host's own text; nothing here looks into it.
 */
export interface CallContext {
  /** On whose behalf: the user, account or tenant whose credentials and limits count. */
  readonly principal?: string | undefined;
  /** As what: a role of the principal, or of the agent that works for it. */
  readonly role?: string | undefined;
  /** Which conversation of an agent it belongs to. */
  readonly conversation?: string | undefined;
  /**
   * An id that all parts of one piece of work share, over calls, servers and processes.
   */
  readonly correlationId?: string | undefined;
  /** The cause: the id of an earlier call, message or event. */
  readonly causationId?: string | undefined;
  /**
   * The same for every try of one intended effect, so that whoever repeats it can be recognised.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * The token by which a call that was suspended goes on, from the policy that approved it. A
   * secret, good for one call: it reaches that policy alone, and no record, no event, no server and
   * no tool.
   */
  readonly approval?: string | undefined;
}

const fields: Fields<CallContext> = {
  principal: true,
  role: true,
  conversation: true,
  correlationId: true,
  causationId: true,
  idempotencyKey: true,
  approval: true,
};
const known: ReadonlySet<string> = new Set(Object.keys(fields));

/**
 * The context without the token of an approval, for all but the policy that it is for. The same
 * object when there is none.
 */
export function withoutApproval(context: CallContext): Omit<CallContext, "approval">;
export function withoutApproval(context: CallContext | undefined): Omit<CallContext, "approval"> | undefined;
export function withoutApproval(context: CallContext | undefined): Omit<CallContext, "approval"> | undefined {
  if (context?.approval === undefined) return context;
  const { approval: _approval, ...rest } = context;
  return rest;
}

/**
 * Refuses a context with a member that nothing reads, or one that is no text: with a letter wrong
 * in `principal`, everybody would be the same. An empty text is refused, too, because it would be
 * one. Throws a `TypeError` that names the member.
 */
export function assertCallContext(context: unknown): asserts context is CallContext {
  if (!isPlainObject(context)) throw new TypeError(`context must be an object, not ${kindOf(context)}`);
  // A loop that makes nothing: it runs with every call that has a context.
  for (const member in context) {
    if (!known.has(member)) {
      throw new TypeError(`a context has no member ${quoteText(member)}; known are ${Array.from(known).join(", ")}`);
    }
    const value = context[member];
    if (value === undefined || (typeof value === "string" && value !== "")) continue;
    throw new TypeError(`context.${member} must be a text that is not empty`);
  }
}

/**
 * The key of the caller that a call belongs to: its conversation, as that of its principal, or its
 * principal where the context names no conversation. The calls of one server take turns by this
 * key, and a question stops the time of the calls with the same key. Each caller has one key, and
 * no other caller has it. `undefined`: anonymous; the context names neither.
 */
export function fairnessKeyOf(context: CallContext | undefined): string | undefined {
  const { principal, conversation } = context ?? {};
  if (principal !== last.principal || conversation !== last.conversation)
    last = { principal, conversation, key: makeKey({ principal, conversation }) };
  return last.key;
}

// Calls of one conversation follow one another, and are looked up by the same text then.
let last: CallContext & { readonly key?: string | undefined } = {};

function makeKey({ principal, conversation }: CallContext): string | undefined {
  if (conversation === undefined) return principal === undefined ? undefined : `principal ${principal}`;
  return principal === undefined ? `conversation ${conversation}` : JSON.stringify([principal, conversation]);
}
