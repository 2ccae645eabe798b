import fc, { type RunDetails } from "fast-check";

/**
 * What a failed property says: seed and path to run it again, the shortest case, and what did not
 * hold.
 */
export function failureReport<Case>(details: RunDetails<Case>): string {
  return `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`;
}
