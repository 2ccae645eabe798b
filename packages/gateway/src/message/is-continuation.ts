import type { ReadMessage, RequestMessage } from "./json-rpc.ts";

/**
 * Whether a request goes on with what was begun before: it is let in also while the gateway ends.
 */
export function isContinuation({ params }: Pick<RequestMessage, "params">): boolean {
  return params["requestState"] !== undefined;
}

/** The same of any message: answers and notifications begin nothing. */
export function beginsNothing(read: ReadMessage): boolean {
  return read.kind === "request" ? isContinuation(read.request) : read.kind !== "invalid";
}
