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
import { askValue, leftOpen } from "../opening/asking/ask-value.ts";
import type { TerminalPrompter } from "../questions.ts";
import { terminalLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import { describeKinds } from "../values/coerce-text.ts";
import { memberOf, type Parameter, type Parameters } from "../values/parameters.ts";
import { signatureOf } from "./describe-parameters.ts";
import { withMember } from "./read-arguments.ts";

const nowhere = { serverId: "", toolName: "", qualifiedName: "" };

/**
 * Finds violations of the tool's schema. Empty for arguments that fit, and for a schema that cannot
 * be used. It is the check of the policy that every call passes, made before anybody is asked.
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
    const { name, schema, isRequired } = parameter;
    if (!isRequired || memberOf(complete, name) !== undefined) continue;
    const initial = memberOf(schema, "default") as JsonValue | undefined;
    if (initial === undefined) missing.push(parameter);
    else {
      complete = withMember(complete, name, initial);
      onDefault(name, initial);
    }
  }
  if (missing.length === 0) return complete;
  if (asker === undefined || missing.length > mostAsked) throw missingError(definition, missing, example);
  return asker.alone(async (questions) => {
    questions.show([signatureOf(definition)]);
    for (const parameter of missing) {
      const { name, schema } = parameter;
      const { root } = parameters;
      const description = memberOf(schema, "description");
      const message = `${name} (${describeKinds(schema, root)})${typeof description === "string" ? `: ${terminalLine(description, 300)}` : ""}`;
      const question = { message, schema, root, isRequired: true, isSecret: isSecretName(name) };
      const answer = await askValue(question, questions);
      if (answer === undefined || answer === leftOpen) throw missingError(definition, [parameter], example);
      complete = withMember(complete, name, answer);
    }
    return complete;
  });
}

// Who is asked for more gives up; they are given as JSON.
const mostAsked = 30;

function missingError(definition: ToolDefinition, missing: readonly Parameter[], example: string): Error {
  const names = missing.slice(0, mostAsked).map(({ name }) => `--${terminalLine(name, 100)}`);
  const more = missing.length > mostAsked ? ` and ${missing.length - mostAsked} more` : "";
  return usageError(`missing: ${names.join(", ")}${more}`, `${signatureOf(definition)}; for example: ${example}`);
}
