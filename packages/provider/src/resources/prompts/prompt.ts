import type { ContentBlock, JsonObject } from "@hostside/core";
import type { ListedEntry } from "@hostside/core";

/** A blank in a prompt, as its server lists it. */
export interface PromptArgument {
  /** At most 1,024 UTF-16 units. */
  readonly name: string;
  /** At most 1,024 UTF-16 units. */
  readonly title?: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** Whether its server says that the prompt cannot be had without it. */
  readonly required: boolean;
}

/**
 * A prompt as its server lists it. Its identity is its server's id and its name, which is never
 * cut. All texts are a server's: untrusted.
 */
export interface Prompt extends ListedEntry {
  /** In the server's order; the first of two with one name. */
  readonly arguments: readonly PromptArgument[];
}

/** One message of a prompt. A server's: untrusted, whatever role it claims. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  /**
   * What its type says ({@linkcode ContentBlock}), or of a kind that is not known, as it came.
   * `_meta` is for the host, never for a model.
   */
  readonly content: ContentBlock;
}

/** What a prompt became with its arguments. */
export interface FilledPrompt {
  readonly serverId: string;
  readonly name: string;
  /** At most 8,192 UTF-16 units. */
  readonly description?: string;
  /** In the server's order. */
  readonly messages: readonly PromptMessage[];
  /** Messages that could not be used: the first 100. */
  readonly dropped: readonly { readonly index: number; readonly reason: string }[];
  /** The `_meta` of the result, for the host. */
  readonly meta?: JsonObject;
}

/** One prompt of one server. */
export interface PromptTarget {
  readonly serverId: string;
  /** Byte for byte as it was listed. */
  readonly name: string;
  /**
   * As it was listed: then required arguments that are missing are refused before anything is sent.
   */
  readonly arguments?: readonly PromptArgument[] | undefined;
}
