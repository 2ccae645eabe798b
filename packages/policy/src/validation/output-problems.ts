import type { JsonObject, JsonValue, ToolOutcome, Violation } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** The member of an outcome's `meta` that says what is wrong with the result. */
export const outputProblemsKey = "hostside/output-problems";

/** The outcome, marked as one that does not fit the tool's output schema. */
export function markOutcome(outcome: ToolOutcome, violations: readonly Violation[]): ToolOutcome {
  const problems: JsonObject[] = violations.map(({ path, keyword, message }) => ({ path, keyword, message }));
  return { ...outcome, meta: { ...outcome.meta, [outputProblemsKey]: problems } };
}

/** What is wrong with the result of a marked outcome; `undefined` for any other. */
export function outputProblemsOf(outcome: ToolOutcome): readonly Violation[] | undefined {
  const problems = outcome.meta?.[outputProblemsKey];
  if (!Array.isArray(problems)) return undefined;
  // Where nothing is validated, a mark may be a server's.
  return problems.flatMap((problem: JsonValue) => {
    const { path, message } = isJsonObject(problem) ? problem : {};
    return typeof path === "string" && typeof message === "string" ? [{ path, message }] : [];
  });
}

/** Whether an outcome is marked. */
export function hasOutputProblems({ meta }: ToolOutcome): boolean {
  return meta !== undefined && Object.hasOwn(meta, outputProblemsKey);
}

/** The outcome without a mark: only this host may set one. The very same when there is none. */
export function unmarkOutcome(outcome: ToolOutcome): ToolOutcome {
  if (outcome.meta === undefined || !hasOutputProblems(outcome)) return outcome;
  const { [outputProblemsKey]: _mark, ...meta } = outcome.meta;
  return { ...outcome, meta };
}
