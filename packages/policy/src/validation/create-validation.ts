import type { Interceptor, JsonObject, JsonValue, ToolCall, ToolOutcome, Violation } from "@hostside/core";
import { assertKnownOptions, isJsonObject, type Fields } from "@hostside/core/implement";
import type { PolicyStage } from "../policy-event.ts";
import { type PolicyParts, refuseCall, tellApplied } from "../refuse.ts";
import { readOneOf } from "../read-options.ts";
import { compileSchema, type CompiledSchema, type ValidationResult } from "./schema/compile-schema.ts";

/**
 * `"off"`: nothing is checked. `"warn"`: what is wrong is told, and the call goes on. `"strict"`:
 * it does not go on as if all were well.
 */
export type ValidationMode = "off" | "warn" | "strict";

/** How arguments and results are checked against the schemas of their tools. */
export interface ValidationOptions {
  /**
   * Arguments, before anything is sent. Default `"strict"`: what does not fit is refused with
   * `invalid_arguments`, whose `details.violations` say where and why, so that a model can mend its
   * call; and so are arguments that are too much to check. `"warn"`: it is sent, with an event.
   */
  readonly input?: ValidationMode | undefined;
  /**
   * `structuredContent`, where the tool has an output schema and does not say that it failed.
   * Default `"warn"`: a result that does not fit is delivered and marked, in its `meta` under
   * `"hostside/output-problems"`, with an event. `"strict"`: so it is, and it counts as failed
   * (`isError`), because the tool has run and what it brought must not be lost.
   */
  readonly output?: ValidationMode | undefined;
}

/** The two stages that check; one is absent where nothing is to be checked. */
export interface Validation {
  /** Before anybody is asked and anything is counted. */
  readonly input: Interceptor | undefined;
  /** The innermost. */
  readonly output: Interceptor | undefined;
}

const fields: Fields<ValidationOptions> = { input: true, output: true };
const modes: readonly ValidationMode[] = ["off", "warn", "strict"];

/**
 * Makes the two stages. Throws a `TypeError` for an option that makes no sense.
 */
export function createValidation(options: ValidationOptions, parts: PolicyParts): Validation {
  assertKnownOptions("validation", options, fields);
  const input = readOneOf(options.input, modes, "validation.input") ?? "strict";
  const output = readOneOf(options.output, modes, "validation.output") ?? "warn";
  // By the very object, so that nothing that a server writes into a schema makes it another's.
  const known = new WeakMap<JsonObject, KnownSchema>();
  const load = async (schema: JsonObject, checked: Checked): Promise<KnownSchema> => {
    const result = await compile(schema);
    // Two calls may have had it compiled at the same time.
    const first = known.get(schema);
    if (first !== undefined) return first;
    known.set(schema, result);
    reportSchema(result, checked, parts);
    return result;
  };
  const check = async (value: unknown, schema: JsonObject, checked: Checked): Promise<ValidationResult> => {
    const found = known.get(schema) ?? (await load(schema, checked));
    return typeof found === "string" ? valid : found.check(value);
  };

  const inputStage: Interceptor = async (call, next) => {
    const verdict = await check(call.args, call.definition.inputSchema, { call, stage: "input" });
    if (verdict.kind === "valid") return next(call);
    const words = wordsFor(verdict);
    if (input === "strict") {
      const reason = `is refused, because its input ${words}`;
      const details = { violations: violationsOf(verdict) };
      const code = "invalid_arguments";
      throw refuseCall(call, { stage: "input", code, reason, rule: "validation.input", details }, parts);
    }
    tellApplied(call, { stage: "input", reason: `sent, though its input ${words}` }, parts);
    return next(call);
  };
  const outputStage: Interceptor = async (call, next) => {
    const { outputSchema } = call.definition;
    // A mark that the server set itself would be taken for ours.
    const outcome = unmarkOutcome(await next(call));
    if (outcome.isError || outputSchema === undefined) return outcome;
    const { structuredContent } = outcome;
    const verdict =
      structuredContent === undefined
        ? missing
        : await check(structuredContent, outputSchema, { call, stage: "output" });
    if (verdict.kind === "valid") return outcome;
    const reason = `delivered and marked${output === "strict" ? " as an error" : ""}: the result ${wordsFor(verdict)}`;
    tellApplied(call, { stage: "output", reason }, parts);
    const marked = markOutcome(outcome, violationsOf(verdict));
    return output === "strict" ? { ...marked, isError: true } : marked;
  };

  return {
    input: input === "off" ? undefined : inputStage,
    output: output === "off" ? undefined : outputStage,
  };
}

interface Checked {
  readonly call: ToolCall;
  readonly stage: PolicyStage;
}

/** A schema that was compiled, or why it cannot be used. */
type KnownSchema = CompiledSchema | string;

type Failed = Exclude<ValidationResult, { readonly kind: "valid" }>;

const valid: ValidationResult = { kind: "valid" };
const missing: Failed = {
  kind: "invalid",
  violations: [
    { path: "", keyword: "required", message: "must have structured content, because the tool has an output schema" },
  ],
};

// Whatever is wrong with a server's schema, its tool can be called without a check.
async function compile(schema: JsonObject): Promise<KnownSchema> {
  try {
    // The engine is larger than all the rest of the package, and few schemas have a pattern.
    return await compileSchema(schema, async () => (await import("re2js")).RE2JS);
  } catch (error) {
    return error instanceof TypeError ? error.message : "it cannot be compiled";
  }
}

const compiled = new WeakMap<JsonObject, Promise<KnownSchema>>();

/**
 * Tells whether a value fits a JSON Schema, which is compiled once for each object. `true` also
 * where the schema cannot be used, or the value is too much to check. Never rejects.
 */
export async function fitsSchema(value: JsonValue, schema: JsonObject): Promise<boolean> {
  const known = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, known);
  const found = await known;
  return typeof found === "string" || found.check(value).kind !== "invalid";
}

function reportSchema(known: KnownSchema, { call, stage }: Checked, parts: PolicyParts): void {
  const what = `the ${stage} schema`;
  const reason =
    typeof known === "string"
      ? `nothing is checked: ${what} cannot be used, because ${known}`
      : `${what} has ${known.uncheckedPatterns} patterns that cannot be looked for, and are taken to match`;
  if (typeof known !== "string" && known.uncheckedPatterns === 0) return;
  tellApplied(call, { stage, reason }, parts);
}

function violationsOf(verdict: Failed): readonly Violation[] {
  if (verdict.kind === "invalid") return verdict.violations;
  return [{ path: "", message: "must be small enough to be checked" }];
}

// Keywords are a closed list of ours; paths and messages may have what servers and models wrote.
function wordsFor(verdict: Failed): string {
  if (verdict.kind === "too-much") return "is too much to check against the schema";
  const keywords = Array.from(new Set(verdict.violations.flatMap(({ keyword }) => keyword ?? []))).join(", ");
  return `does not fit the schema (${keywords})`;
}

/** The member of an outcome's `meta` that says what is wrong with the result. */
export const outputProblemsKey = "hostside/output-problems";

/** The outcome, marked as one that does not fit the tool's output schema. */
export function markOutcome(outcome: ToolOutcome, violations: readonly Violation[]): ToolOutcome {
  const problems: JsonObject[] = violations.map(({ path, keyword, message }) => ({ path, keyword, message }));
  return { ...outcome, meta: { ...outcome.meta, [outputProblemsKey]: problems } };
}

/** Reads the problems of a marked outcome; `undefined` for any other. */
export function outputProblemsOf(outcome: ToolOutcome): readonly Violation[] | undefined {
  const problems = outcome.meta?.[outputProblemsKey];
  if (!Array.isArray(problems)) return undefined;
  // Where nothing is validated, a mark may be a server's.
  return problems.flatMap((problem: JsonValue) => {
    const { path, message } = isJsonObject(problem) ? problem : {};
    return typeof path === "string" && typeof message === "string" ? [{ path, message }] : [];
  });
}

/** Tells whether an outcome is marked. */
export function hasOutputProblems({ meta }: ToolOutcome): boolean {
  return meta !== undefined && Object.hasOwn(meta, outputProblemsKey);
}

/** The outcome without a mark: only this host may set one. The very same when there is none. */
export function unmarkOutcome(outcome: ToolOutcome): ToolOutcome {
  if (outcome.meta === undefined || !hasOutputProblems(outcome)) return outcome;
  const { [outputProblemsKey]: _mark, ...meta } = outcome.meta;
  return { ...outcome, meta };
}
