import type { Redactor } from "./secret-name.ts";
import { isHostsideError } from "./hostside-error.ts";
import { cleanText } from "./untrusted-text.ts";

const longestMessage = 1000;
// A chain of causes is short; the bound is against one that loops.
const longestChain = 8;

/**
 * A foreign error as a cause that may be shown in any way: name, message, stack and code, without
 * secrets, and its own causes likewise. Nothing else of it is copied: Node puts all arguments of a
 * command on the error of a failed start. Anything but an error is left out.
 */
export function safeCause(error: unknown, redact: Redactor, depth: number = longestChain): Error | undefined {
  if (!(error instanceof Error) || isHostsideError(error)) return error instanceof Error ? error : undefined;
  const inner = depth > 1 ? safeCause(error.cause, redact, depth - 1) : undefined;
  const message = redact(cleanText(error.message, longestMessage));
  const copy = new Error(message, inner === undefined ? undefined : { cause: inner });
  const name = redact(cleanText(error.name, 80));
  const frames = String(error.stack)
    .split("\n")
    .filter((line) => /^ {4}at /.test(line));
  const hidden = { writable: true, configurable: true, enumerable: false };
  Object.defineProperty(copy, "name", { ...hidden, value: name });
  Object.defineProperty(copy, "stack", { ...hidden, value: redact([`${name}: ${message}`, ...frames].join("\n")) });
  if ("code" in error && (typeof error.code === "string" || typeof error.code === "number")) {
    const { code } = error;
    Object.assign(copy, { code: typeof code === "string" ? redact(cleanText(code, 80)) : code });
  }
  return copy;
}
