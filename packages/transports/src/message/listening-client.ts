/** Where change streams come from: a wire, or the client of the SDK line that has them. */
export interface ListeningClient {
  listen(
    filter: { readonly toolsListChanged: true },
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<{ readonly closed: Promise<"local" | "graceful" | "remote"> }>;
}
