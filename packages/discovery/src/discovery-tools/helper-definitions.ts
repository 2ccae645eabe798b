import type { JsonObject, ToolDefinition } from "@hostside/core";
import { freezeData } from "@hostside/core/implement";
import { localOrigin } from "../catalog/static-tool.ts";

/** How many tools a helper returns when a limit is absent or 0. */
const fallbackLimit = 5;

/** An argument of a helper, as its schema says it. */
type Argument =
  | { readonly type: "string"; readonly description: string }
  | { readonly type: "array"; readonly items: { readonly type: "string" }; readonly description: string }
  | { readonly type: "integer"; readonly minimum: 0; readonly maximum: number; readonly description: string };

/** The definition of a helper. Its schema says how its arguments are read. */
export interface HelperDefinition extends ToolDefinition {
  readonly inputSchema: JsonObject & {
    readonly properties: Readonly<Record<string, Argument>>;
    readonly required: readonly string[];
  };
}

/** The discovery helpers. */
export const helperDefinitions: Readonly<Record<"groups" | "select" | "search", HelperDefinition>> = {
  groups: define(
    "tools_groups",
    "Lists the groups of tools that exist, such as all tools of one server, without their schemas. Start here when you do not know " +
      "which tools there are, then expand a group with tools_select.",
    { query: text("Part of a group's id, title or description. Absent: all groups.") },
  ),
  select: define(
    "tools_select",
    "Makes tools available from your next step on, with their full definitions. Give exact tool names, or the id of a group to get " +
      "all of its tools, or a query. When the answer has `next`, pass that to get the rest.",
    {
      tools: { type: "array", items: { type: "string" }, description: "Exact names of tools." },
      group: text("The id of a group, as tools_groups lists it."),
      after: text("Name of a tool of the group: only those after it."),
      query: text("What the tool should do. Ignored when tools or group is given."),
      limit: limit(16),
    },
  ),
  search: define(
    "tools_search",
    "Finds tools by name or by what they do, best first, and makes them available from your next step on. A few telling words work " +
      'best, such as "create issue github". `members` of its groups are the next best, by name. "*" lists names and descriptions only.',
    {
      query: text(
        'Words, a name, or the beginning of one. "+word" must occur; "select:a,b" takes tools by exact name.',
      ),
      limit: limit(64),
    },
    ["query"],
  ),
};

/** The names of the helpers. */
export const helperNames: readonly string[] = Object.values(helperDefinitions).map(({ name }) => name);

function define(
  name: string,
  ...[description, properties, required = []]: [string, Readonly<Record<string, Argument>>, (readonly string[])?]
): HelperDefinition {
  // All conversations share them.
  return freezeData({
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false },
    effect: "pure",
    origin: localOrigin(name),
  });
}

function text(description: string): Argument {
  return { type: "string", description };
}

function limit(maximum: number): Argument {
  return {
    type: "integer",
    minimum: 0,
    maximum,
    description: `Most tools to return. 0 or absent: ${fallbackLimit}.`,
  };
}

/**
 * Reads arguments by the schema of a helper, trimmed and with defaults. Throws a `TypeError` that
 * tells a model in one sentence what to pass instead. `null` counts as absent, because models fill
 * in what they were not asked for.
 */
export function parseInput({ inputSchema }: HelperDefinition, input: object): Readonly<Record<string, unknown>> {
  const { properties, required } = inputSchema;
  const unknown = Object.keys(input).filter((member) => !Object.hasOwn(properties, member));
  if (unknown.length > 0) {
    const known = Object.keys(properties).map((member) => `\`${member}\``);
    throw invalid(`unknown \`${shorten(unknown.join("`, `"))}\`; pass only ${known.join(", ")}`);
  }
  const value: Record<string, unknown> = {};
  for (const [member, argument] of Object.entries(properties)) {
    const given: unknown = Reflect.get(input, member) ?? undefined;
    const read = readArgument(given, argument, required.includes(member));
    if (read === undefined) {
      const example =
        given === undefined ? `, such as {"${member}": "create issue"}` : `, not ${shorten(JSON.stringify(given))}`;
      throw invalid(`\`${member}\` must be ${ruleOf(argument)}${example}`);
    }
    value[member] = read.value;
  }
  return value;
}

/** Arguments of a helper that a model can mend. */
export class InvalidInput extends TypeError {}

/** Says what is wrong with the arguments of a helper. */
export function invalid(problem: string): InvalidInput {
  return new InvalidInput(`Invalid input: ${problem}`);
}

// Nothing for an argument that is wrong.
function readArgument(
  given: unknown,
  argument: Argument,
  isRequired: boolean,
): { readonly value: unknown } | undefined {
  switch (argument.type) {
    case "string":
      if (typeof given === "string") return { value: isRequired ? given.trim() : given.trim() || undefined };
      return given === undefined && !isRequired ? { value: undefined } : undefined;
    case "array":
      if (given === undefined) return { value: [] };
      if (!Array.isArray(given) || !given.every((item) => typeof item === "string")) return undefined;
      return { value: given.map((item) => item.trim()).filter((item) => item !== "") };
    case "integer":
      if (given === undefined || given === 0) return { value: fallbackLimit };
      return Number.isInteger(given) && Number(given) > 0
        ? { value: Math.min(Number(given), argument.maximum) }
        : undefined;
  }
}

function ruleOf(argument: Argument): string {
  if (argument.type === "integer") return `a whole number from 0 to ${argument.maximum}`;
  return argument.type === "string" ? "a string" : 'an array of tool names, such as ["name"]';
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
