import type { CallContext } from "@toolport/core";
import { assertNames, type Fields } from "@toolport/core/implement";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";

/** How tools are declared to OpenAI's APIs, and their calls answered. */
export interface OpenaiOptions extends AdapterOptions {
  /**
   * Names of functions that the product declares and answers itself: calls of them are left to it, and no tool of the source is declared
   * by such a name. Default none: a call of a name that nobody knows is answered, because an API refuses a conversation with a call that
   * has no answer. Static tools of a toolbox need not be here; they are answered like all others.
   */
  readonly ownFunctions?: readonly string[] | undefined;
}

/** How the calls of one response are answered. */
export interface AnswerOptions {
  /** Aborts the calls that are under way; their servers are told. */
  readonly signal?: AbortSignal | undefined;
  /** On whose behalf; goes before the adapter's own, member by member. For the host alone. */
  readonly context?: CallContext | undefined;
}

const fields: Fields<OpenaiOptions> = { ...adapterFields, ownFunctions: true };

/** Checks the options, and gives back those of every adapter and the product's own names. Throws a `TypeError` that names the option. */
export function readOpenaiOptions(
  owner: string,
  options: OpenaiOptions,
): { readonly shared: AdapterOptions; readonly own: ReadonlySet<string> } {
  assertAdapterOptions(owner, options, fields);
  const { ownFunctions = [], ...shared } = options;
  assertNames("ownFunctions", ownFunctions);
  return { shared, own: new Set(ownFunctions) };
}
