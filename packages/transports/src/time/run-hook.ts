import { reportUncaught } from "@hostside/core/implement";

/**
 * Calls a function of the host's. What it throws goes to the runtime's own handler of uncaught
 * errors: visible, but not in the middle of the reading of messages.
 */
export function runHook<T>(hook: (value: T) => void, value: T): void {
  try {
    hook(value);
  } catch (error) {
    reportUncaught(error);
  }
}
