/** How texts are to be embedded. */
export interface EmbedOptions {
  /** What the texts are: some models want to know it, or a prefix that says so. */
  readonly purpose: "tool" | "query";
  /** Aborts when the answer is not waited for any longer. */
  readonly signal: AbortSignal;
}

/**
 * Makes vectors of texts. May throw: a search is done by words then. A `HostsideError` says when to
 * come back (`details.retryAfterMs`).
 */
export interface Embedder {
  /**
   * Names whatever decides what a vector looks like: the model, where it runs, its dimensions. Part
   * of the key under which a vector is kept, so that those of another model are never compared with
   * it.
   */
  readonly id: string;
  /** Most texts of one call. Default 64. */
  readonly maxTexts?: number | undefined;
  /**
   * One vector for each text, in their order, all of the same length. Of any scale: only directions
   * are compared.
   */
  embed(texts: readonly string[], options: EmbedOptions): PromiseLike<readonly ArrayLike<number>[]>;
}
