import type { ReadMessage, RequestMessage } from "./json-rpc.ts";

const aboutTasks: ReadonlySet<string> = new Set([
  "tasks/get",
  "tasks/result",
  "tasks/list",
  "tasks/update",
  "tasks/cancel",
]);

/**
 * Whether a request goes on with what was begun before: it is let in also while the gateway ends.
 */
export function isContinuation({ method, params }: Pick<RequestMessage, "method" | "params">): boolean {
  return params["requestState"] !== undefined || aboutTasks.has(method);
}

/** The same of any message: answers and notifications begin nothing. */
export function beginsNothing(read: ReadMessage): boolean {
  return read.kind === "request" ? isContinuation(read.request) : read.kind !== "invalid";
}
