import type { JsonObject } from "@hostside/core";
import { fail, pass, type CheckInit } from "./define-check.ts";

/** A check that judges the listed definitions alone. */
export interface ToolJudgement extends Omit<CheckInit, "run"> {
  /** What is wrong, one entry per tool; `[]` when nothing is. Pure. */
  readonly judge: (tools: readonly JsonObject[]) => readonly string[];
}

// Enough to see the pattern; the JSON report's trace has the listing.
const mostShown = 5;

/**
 * Makes a check of a judgement about the listed tools. It does not apply to a server without tools.
 */
export function aboutTools({ judge, ...info }: ToolJudgement): CheckInit {
  return {
    ...info,
    run: async (target) => {
      const { tools } = await target.listing();
      if (tools.length === 0) return { status: "not-applicable", reason: "the server lists no tools" };
      const problems = judge(tools);
      if (problems.length === 0) return pass(`${tools.length} tools`);
      const more = problems.length > mostShown ? ` … and ${problems.length - mostShown} more` : "";
      return fail(`${problems.slice(0, mostShown).join("; ")}${more}`);
    },
  };
}
