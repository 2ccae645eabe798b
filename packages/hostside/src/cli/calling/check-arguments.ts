import {
  isHostsideError,
  cleanText,
  type JsonObject,
  type ToolDefinition,
  type ToolOutcome,
  type Violation,
} from "@hostside/core";
import { createPolicy } from "@hostside/policy";
import { terminalLine } from "../render/render-text.ts";
import { usageError } from "../exit-codes.ts";
import { memberOf, readParameters } from "../values/parameters.ts";
import { signatureOf } from "./describe-parameters.ts";

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

/** Throws a usage error that names the required arguments that are not there. */
export function assertComplete(args: JsonObject, definition: ToolDefinition, example: string): void {
  const missing = [...readParameters(definition.inputSchema).byName.values()].filter(
    ({ name, isRequired }) => isRequired && memberOf(args, name) === undefined,
  );
  if (missing.length === 0) return;
  const names = missing.slice(0, mostNamed).map(({ name }) => `--${terminalLine(name, 100)}`);
  const more = missing.length > mostNamed ? ` and ${missing.length - mostNamed} more` : "";
  throw usageError(`missing: ${names.join(", ")}${more}`, `${signatureOf(definition)}; for example: ${example}`);
}

const mostNamed = 30;
