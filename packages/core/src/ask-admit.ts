import type { Admission, AdmissionServer, Admit } from "./admission.ts";
import { kindOf } from "./plain-object.ts";
import { quoteText } from "./quote-text.ts";
import type { ToolDefinition } from "./tool.ts";
import { isHostsideError } from "./hostside-error.ts";

/** What a host's rule decided about one tool. */
export interface AdmitDecision {
  readonly admission: Admission;
  /**
   * What the rule did instead of deciding, as a predicate: `"threw RangeError"`. The tool is hidden
   * then.
   */
  readonly problem?: string;
}

/**
 * Asks a host's rule about a tool. Never throws: a rule that does, or answers nothing of use, hides
 * the tool.
 */
export function askAdmit(admit: Admit, tool: ToolDefinition, server: AdmissionServer | undefined): AdmitDecision {
  try {
    const answer: unknown = admit(tool, server);
    if (answer === "offer" || answer === "hide" || answer === "quarantine") return { admission: answer };
    // A promise is no answer, and must not end the process with what it rejects with.
    if (answer instanceof Promise) answer.catch(() => {});
    return { admission: "hide", problem: `answered ${describeAnswer(answer)}` };
  } catch (error) {
    return { admission: "hide", problem: `threw ${describeThrown(error)}` };
  }
}

function describeAnswer(answer: unknown): string {
  if (answer instanceof Promise) return "a Promise, and has to answer at once";
  const shown =
    typeof answer === "string" ? quoteText(answer, 40) : typeof answer === "boolean" ? answer : kindOf(answer);
  return `${shown}, not "offer", "hide" or "quarantine"`;
}

// A foreign message may quote a secret.
function describeThrown(error: unknown): string {
  if (isHostsideError(error)) return error.code;
  return error instanceof Error ? quoteText(error.name, 40).slice(1, -1) : kindOf(error);
}
