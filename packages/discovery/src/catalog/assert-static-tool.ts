import { isJsonObject, isPlainObject, isToolEffect, kindOf, quoteText } from "@hostside/core/implement";

const legalName = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Throws `TypeError` when a static tool or helper has a name that model APIs refuse. */
export function assertLegalName(name: unknown): asserts name is string {
  if (typeof name === "string" && legalName.test(name)) return;
  const shown = typeof name === "string" ? quoteText(name) : kindOf(name);
  throw new TypeError(
    `tool name ${shown} must be a letter, then letters, digits, _ or -, at most 64 characters in all`,
  );
}

/**
 * Throws a `TypeError` that names the member of a static tool that is absent or of a wrong type:
 * what is found when a model asks for the tool is found too late. `index` is its place among the
 * tools.
 */
export function assertStaticTool(tool: unknown, index: number): void {
  const place = `tools[${index}]`;
  if (!isJsonObject(tool))
    throw new TypeError(`${place} must be an object with a definition and a run, not ${kindOf(tool)}`);
  const { definition, run, init, bundle }: Readonly<Record<string, unknown>> = tool;
  if (!isPlainObject(definition))
    throw new TypeError(`${place}.definition must be an object, not ${kindOf(definition)}`);
  assertLegalName(definition["name"]);
  const owner = `tool "${definition["name"]}"`;
  assertMembers(owner, definition, definitionChecks);
  if (typeof run !== "function") throw new TypeError(`run of ${owner} must be a function, not ${kindOf(run)}`);
  if (init !== undefined && typeof init !== "function") {
    throw new TypeError(`init of ${owner} must be a function, not ${kindOf(init)}`);
  }
  if (bundle === undefined) return;
  if (!isPlainObject(bundle)) throw new TypeError(`bundle of ${owner} must be an object, not ${kindOf(bundle)}`);
  assertMembers(`the bundle of ${owner}`, bundle, bundleChecks);
}

type Check = readonly [member: string, isRight: (value: unknown) => boolean, rule: string, isOptional?: boolean];

const isText = (value: unknown): boolean => typeof value === "string";

const definitionChecks: readonly Check[] = [
  ["description", isText, "a text"],
  ["inputSchema", isPlainObject, "an object"],
  ["title", isText, "a text", true],
  ["outputSchema", isPlainObject, "an object", true],
  ["annotations", isPlainObject, "an object", true],
  ["effect", isToolEffect, "one of those of a ToolEffect", true],
  ["requireApproval", (value) => typeof value === "boolean", "true or false", true],
];

const bundleChecks: readonly Check[] = [
  ["id", isText, "a text"],
  ["title", isText, "a text"],
  ["description", isText, "a text"],
  ["instructions", isText, "a text", true],
];

function assertMembers(owner: string, value: Readonly<Record<string, unknown>>, checks: readonly Check[]): void {
  for (const [member, isRight, rule, isOptional = false] of checks) {
    const given = value[member];
    if (isRight(given) || (isOptional && given === undefined)) continue;
    throw new TypeError(`${member} of ${owner} must be ${rule}, not ${kindOf(given)}`);
  }
}
