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
  assertDefinition(`tool "${definition["name"]}"`, definition);
  const owner = `tool "${definition["name"]}"`;
  if (typeof run !== "function") throw new TypeError(`run of ${owner} must be a function, not ${kindOf(run)}`);
  if (init !== undefined && typeof init !== "function") {
    throw new TypeError(`init of ${owner} must be a function, not ${kindOf(init)}`);
  }
  if (bundle !== undefined) assertBundle(owner, bundle);
}

function assertDefinition(owner: string, definition: Readonly<Record<string, unknown>>): void {
  const { title, description, inputSchema, outputSchema, annotations, effect, requireApproval } = definition;
  const fail = (member: string, rule: string): TypeError => new TypeError(`${member} of ${owner} must be ${rule}`);
  const text = (member: string, value: unknown): void => {
    if (typeof value !== "string") throw fail(member, `a text, not ${kindOf(value)}`);
  };
  const object = (member: string, value: unknown): void => {
    if (!isPlainObject(value)) throw fail(member, `an object, not ${kindOf(value)}`);
  };
  text("description", description);
  object("inputSchema", inputSchema);
  if (title !== undefined) text("title", title);
  if (outputSchema !== undefined) object("outputSchema", outputSchema);
  if (annotations !== undefined) object("annotations", annotations);
  // With a letter wrong, policies would go by a default.
  if (effect !== undefined && !isToolEffect(effect)) throw fail("effect", "one of those of a ToolEffect");
  if (requireApproval !== undefined && typeof requireApproval !== "boolean") {
    throw fail("requireApproval", "true or false");
  }
}

function assertBundle(owner: string, bundle: unknown): void {
  const fail = (rule: string): TypeError => new TypeError(`the bundle of ${owner} must ${rule}`);
  if (!isPlainObject(bundle)) throw fail(`be an object, not ${kindOf(bundle)}`);
  for (const member of ["id", "title", "description"]) {
    if (typeof bundle[member] !== "string")
      throw fail(`have ${member === "id" ? "an" : "a"} ${member} that is a text, not ${kindOf(bundle[member])}`);
  }
  const { instructions } = bundle;
  if (instructions !== undefined && typeof instructions !== "string") {
    throw fail(`have instructions that are a text, not ${kindOf(instructions)}`);
  }
}
