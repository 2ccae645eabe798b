import type { Interceptor, JsonObject, ToolCall, ToolOutcome, Violation } from "@hostside/core";
import { assertKnownOptions, type Fields, readWholeNumber } from "@hostside/core/implement";
import type { PolicyStage } from "../policy-event.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { callEvent, refuseCall } from "../refuse.ts";
import { readSelection, type ToolSelection } from "../rules/select-tools.ts";
import { toolSubject, type ToolSubject } from "../rules/tool-subject.ts";
import { markOutcome, unmarkOutcome } from "./output-problems.ts";
import type { FormatMode, ValidationResult } from "./schema/compile-schema.ts";
import { formatChecks } from "./schema/formats.ts";
import { createSchemaMemory, type KnownSchema } from "./schema-memory.ts";

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
  /**
   * Whether a text must have the `format` that its schema asks for. Default `"annotate"`: no, as
   * 2019-09 and 2020-12 have it. `"assert"`: of `date-time`, `date`, `time`, `email`, `uri`,
   * `uuid`, `ipv4` and `ipv6`, in every dialect; all other formats are notes.
   */
  readonly formats?: FormatMode | undefined;
  /** Default: every tool. */
  readonly tools?: ToolSelection | undefined;
  /** How many compiled schemas are kept. Default 1,000. */
  readonly maxSchemas?: number | undefined;
}

/** The two stages that check; one is absent where nothing is to be checked. */
export interface Validation {
  /** Before anybody is asked and anything is counted. */
  readonly input: Interceptor | undefined;
  /** The innermost. */
  readonly output: Interceptor | undefined;
  /** What is checked of one tool, in sentences. */
  describe(subject: ToolSubject): readonly string[];
}

const fields: Fields<ValidationOptions> = {
  input: true,
  output: true,
  formats: true,
  tools: true,
  maxSchemas: true,
};
const modes: readonly unknown[] = ["off", "warn", "strict"];

/**
 * Makes the checks. A schema is compiled when it is first needed; one that cannot be used (no such
 * dialect, a reference that leads out of it, patterns that no engine of linear time has, too large)
 * is told of in one event with the reason, and the tool is used unchecked: its server could as well
 * have sent no schema.
 */
export function createValidation(options: ValidationOptions, parts: PolicyParts): Validation {
  assertKnownOptions("validation", options, fields);
  const input = readMode(options.input, "validation.input", "strict");
  const output = readMode(options.output, "validation.output", "warn");
  const tools = options.tools === undefined ? undefined : readSelection(options.tools, "validation.tools");
  const max = readWholeNumber(options.maxSchemas, "validation.maxSchemas", {
    least: 1,
    most: 100_000,
    otherwise: 1000,
  });
  const formats = readFormats(options.formats);
  const memory = createSchemaMemory({ max, formats });
  const applies = (call: ToolCall): boolean => tools?.matches(toolSubject(call.definition, call.server, parts)) ?? true;

  const check = async (
    value: unknown,
    schema: JsonObject,
    { call, stage }: Checked,
  ): Promise<ValidationResult | undefined> => {
    const known =
      memory.find(schema) ?? (await memory.load(schema, (found) => tellOfSchema(found, { call, stage }, parts)));
    return known.kind === "usable" ? known.compiled.check(value) : undefined;
  };
  const inputStage: Interceptor = async (call, next) => {
    if (!applies(call)) return next(call);
    const verdict = await check(call.args, call.definition.inputSchema, { call, stage: "input" });
    if (verdict === undefined || verdict.kind === "valid") return next(call);
    const violations = violationsOf(verdict);
    const reason = `is refused, because its input ${wordsFor(verdict)}`;
    if (input === "strict") {
      const rule = "validation.input";
      throw refuseCall(
        call,
        { stage: "input", code: "invalid_arguments", reason, rule, details: { violations } },
        parts,
      );
    }
    parts.emit(
      {
        type: "applied",
        ...callEvent(call, parts),
        stage: "input",
        reason: `sent, though its input ${wordsFor(verdict)}`,
      },
      call,
    );
    return next(call);
  };
  const outputStage: Interceptor = async (call, next) => {
    const { outputSchema } = call.definition;
    // A mark that the server set itself would be taken for ours.
    const outcome = unmarkOutcome(await next(call));
    if (outcome.isError || outputSchema === undefined || !applies(call)) return outcome;
    const verdict =
      outcome.structuredContent === undefined
        ? missing
        : await check(outcome.structuredContent, outputSchema, { call, stage: "output" });
    if (verdict === undefined || verdict.kind === "valid") return outcome;
    const reason = `delivered and marked${output === "strict" ? " as an error" : ""}: the result ${wordsFor(verdict)}`;
    parts.emit({ type: "applied", ...callEvent(call, parts), stage: "output", reason }, call);
    return asInvalid(outcome, verdict, output);
  };

  return {
    input: input === "off" ? undefined : inputStage,
    output: output === "off" ? undefined : outputStage,
    describe(subject) {
      if (tools?.matches(subject) === false) return [];
      const sentences = [...inputSentences[input], ...outputSentences[output]];
      return sentences.length === 0 ? [] : [...sentences, formatSentences[formats]];
    },
  };
}

interface Checked {
  readonly call: ToolCall;
  readonly stage: PolicyStage;
}

type Failed = Exclude<ValidationResult, { readonly kind: "valid" }>;

const missing: Failed = {
  kind: "invalid",
  violations: [
    { path: "", keyword: "required", message: "must have structured content, because the tool has an output schema" },
  ],
};

const inputSentences: Readonly<Record<ValidationMode, readonly string[]>> = {
  off: [],
  warn: ["arguments that do not fit the input schema are sent, with an event"],
  strict: ["arguments that do not fit the input schema are refused with invalid_arguments"],
};

const outputSentences: Readonly<Record<ValidationMode, readonly string[]>> = {
  off: [],
  warn: ["a result that does not fit the output schema is delivered and marked"],
  strict: ["a result that does not fit the output schema is delivered and marked, and counts as failed"],
};

const formatSentences: Readonly<Record<FormatMode, string>> = {
  annotate: "the formats of schemas are notes",
  assert: `texts must have the formats ${Array.from(formatChecks.keys()).join(", ")}; other formats are notes`,
};

function readFormats(formats: unknown = "annotate"): FormatMode {
  if (formats === "annotate" || formats === "assert") return formats;
  throw new TypeError(`validation.formats must be "annotate" or "assert", not ${JSON.stringify(formats)}`);
}

function readMode(mode: unknown, place: string, otherwise: ValidationMode): ValidationMode {
  if (mode === undefined) return otherwise;
  if (isMode(mode)) return mode;
  throw new TypeError(`${place} must be "off", "warn" or "strict", not ${JSON.stringify(mode)}`);
}

function isMode(mode: unknown): mode is ValidationMode {
  return modes.includes(mode);
}

function tellOfSchema(known: KnownSchema, { call, stage }: Checked, parts: PolicyParts): void {
  const event = { type: "applied", ...callEvent(call, parts), stage } as const;
  const what = `the ${stage} schema`;
  if (known.kind === "unusable") {
    parts.emit({ ...event, reason: `nothing is checked: ${what} cannot be used, because ${known.problem}` }, call);
  } else if (known.compiled.uncheckedPatterns > 0) {
    const count = known.compiled.uncheckedPatterns;
    parts.emit(
      { ...event, reason: `${what} has ${count} patterns that cannot be looked for, and are taken to match` },
      call,
    );
  }
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

function asInvalid(outcome: ToolOutcome, verdict: Failed, mode: ValidationMode): ToolOutcome {
  const marked = markOutcome(outcome, violationsOf(verdict));
  return mode === "strict" ? { ...marked, isError: true } : marked;
}
