/** What a server is to tell of, as `subscriptions/listen` names it. */
export interface ChangeFilter {
  readonly toolsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream that the server acknowledged. */
export interface OpenedStream {
  /** Who ended it: this host; the server, with an answer; or something else. */
  readonly closed: Promise<"local" | "graceful" | "remote">;
  /**
   * What the server said it will tell of: at most what was asked for. Its own word, unchecked;
   * absent when it said nothing.
   */
  readonly honoredFilter?: unknown;
}

/** Where change streams come from: a wire, or the client of the SDK line that has them. */
export interface ListeningClient {
  listen(
    filter: ChangeFilter,
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<OpenedStream>;
}
