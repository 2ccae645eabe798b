import {
  isHostsideError,
  cleanText,
  type JsonObject,
  type ToolDefinition,
  type ToolOutcome,
  type Violation,
  type JsonValue,
} from "@hostside/core";
import { createPolicy } from "@hostside/policy";
import { isSecretName } from "@hostside/core/implement";
import { terminalLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import { withMember } from "./build-arguments.ts";
import { coerceText, describeKinds } from "./coerce-text.ts";
import { signatureOf } from "./describe-parameters.ts";
import { alternativesOf, memberOf } from "./schema-alternatives.ts";
import { defaultOf, type Parameter, type Parameters } from "./tool-parameters.ts";
import type { TerminalPrompter, Questions } from "../questions.ts";

const nowhere = { serverId: "", toolName: "", qualifiedName: "" };

/**
 * What is wrong with arguments, by the tool's schema; empty for what fits, and for a schema that
 * cannot be used. It is the check of the policy that every call passes, made before anybody is
 * asked.
 */
export async function findViolations(definition: ToolDefinition, args: JsonObject): Promise<readonly Violation[]> {
  const { origin = nowhere } = definition;
  const outcome: ToolOutcome = { content: [], isError: false, origin, raw: {} };
  const [check] = createPolicy({ validation: { input: "strict", output: "off" } }).interceptors;
  try {
    // Nothing but the schema is to be looked at: rules about the tool are those of the host's own
    // policy.
    const { requireApproval: _rule, ...plain } = definition;
    await check?.({ origin, definition: plain, args, options: {} }, async () => outcome);
    return [];
  } catch (error) {
    if (isHostsideError(error, "invalid_arguments")) return error.details.violations ?? [];
    throw error;
  }
}

/** A violation for who typed options: `--a.b must be integer`. Bounded, and fit for a terminal. */
export function describeViolation({ path, message }: Violation): string {
  const names = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const option = names.length === 0 ? "the arguments" : `--${names.join(".")}`;
  return cleanText(`${option} ${message}`, 300).replaceAll("\n", " ");
}

/** How arguments are completed. */
export interface CompleteInit {
  readonly definition: ToolDefinition;
  readonly parameters: Parameters;
  /** A command line that calls the tool. */
  readonly example: string;
  /** Absent where nobody can be asked. */
  readonly asker: TerminalPrompter | undefined;
  /** Hears of each argument that was filled in from the schema's own default. */
  readonly onDefault: (name: string, value: JsonValue) => void;
}

/**
 * The arguments with those that are required and were not given: the schema's default where it
 * names one, else what a person answers. Throws a usage error that shows how the tool is called
 * where nobody can be asked, or who is asked cancels.
 */
export async function completeArguments(
  args: JsonObject,
  { definition, parameters, example, asker, onDefault }: CompleteInit,
): Promise<JsonObject> {
  let complete = args;
  const missing: Parameter[] = [];
  for (const parameter of parameters.byName.values()) {
    if (!parameter.isRequired || memberOf(complete, parameter.name) !== undefined) continue;
    const initial = defaultOf(parameter);
    if (initial?.value === undefined) missing.push(parameter);
    else {
      complete = withMember(complete, parameter.name, initial.value);
      onDefault(parameter.name, initial.value);
    }
  }
  if (missing.length === 0) return complete;
  const toAsk = asker === undefined || missing.length > mostAsked ? undefined : asker;
  if (toAsk === undefined) throw missingError(definition, missing, example);
  return toAsk.alone(async (questions) => {
    questions.show([signatureOf(definition)]);
    for (const parameter of missing) {
      const answer = await askFor(parameter, parameters.root, questions);
      if (answer === undefined) throw missingError(definition, [parameter], example);
      complete = withMember(complete, parameter.name, answer);
    }
    return complete;
  });
}

// Who is asked for more gives up; they are given as JSON.
const mostAsked = 30;

async function askFor(
  { name, schema }: Parameter,
  root: JsonObject,
  questions: Questions,
): Promise<JsonValue | undefined> {
  const alternatives = alternativesOf(schema, root);
  const [first] = alternatives;
  const description = memberOf(schema, "description");
  const message = `${name} (${describeKinds(schema, root)})${typeof description === "string" ? `: ${terminalLine(description, 300)}` : ""}`;
  const choices = alternatives.flatMap((one) => one.choices ?? []);
  if (choices.length > 0 && alternatives.every((one) => one.choices !== undefined)) {
    const shown = choices.map((choice, at) => ({
      value: String(at),
      label: typeof choice === "string" ? choice : JSON.stringify(choice),
    }));
    const chosen = await questions.choose(message, shown);
    return chosen === undefined ? undefined : choices[Number(chosen)];
  }
  if (alternatives.length === 1 && first?.kind === "boolean") return questions.confirm(message);
  if (isSecretName(name)) {
    const secret = await questions.secret(message);
    return secret === undefined ? undefined : valueOf(secret, { name, schema, root });
  }
  const check = (text: string): string | undefined => {
    const coerced = coerceText(text, schema, root);
    return coerced.kind === "value" ? undefined : `It ${coerced.problem}`;
  };
  const answer = await questions.text(message, { check });
  return answer === undefined ? undefined : valueOf(answer, { name, schema, root });
}

function valueOf(
  text: string,
  { name, schema, root }: { readonly name: string; readonly schema: unknown; readonly root: JsonObject },
): JsonValue {
  const coerced = coerceText(text, schema, root);
  if (coerced.kind === "problem") throw usageError(`--${terminalLine(name, 100)} ${coerced.problem}`);
  return coerced.value;
}

function missingError(definition: ToolDefinition, missing: readonly Parameter[], example: string): Error {
  const names = missing.slice(0, mostAsked).map(({ name }) => `--${terminalLine(name, 100)}`);
  const more = missing.length > mostAsked ? ` and ${missing.length - mostAsked} more` : "";
  return usageError(`missing: ${names.join(", ")}${more}`, `${signatureOf(definition)}; for example: ${example}`);
}
