import type { Diagnostic, JsonObject, ProtocolEra, Resource, ToolAnnotations, ToolDefinition } from "@hostside/core";
import {
  hasShape,
  isJsonObject,
  keywordShapes,
  mapSchemas,
  objectOf,
  oneOf,
  readIcons,
  readText,
  readTexts,
  toObject,
} from "@hostside/core/implement";

type WireTools = WeakMap<ToolDefinition, { readonly tool: JsonObject | undefined }>;

const known: Readonly<Record<ProtocolEra, WireTools>> = { legacy: new WeakMap(), modern: new WeakMap() };

/**
 * A definition as `tools/list` has it: what its server lists, with members that nobody here knows,
 * under the name, and with the words, that the host gives it. Members about tasks are left out,
 * because the gateway has no tasks. Parts that no client would accept are corrected or left out.
 * Returns `undefined` where that is impossible, because clients refuse a list as a whole.
 */
export function toWireTool(
  definition: ToolDefinition,
  era: ProtocolEra,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): JsonObject | undefined {
  let made = known[era].get(definition);
  if (made === undefined) known[era].set(definition, (made = { tool: describe(definition, era, onDiagnostic) }));
  return made.tool;
}

interface WireTool extends JsonObject {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ToolAnnotations & JsonObject;
  readonly icons?: Resource["icons"];
  readonly _meta?: JsonObject;
}

const isFlag = oneOf(true, false);

const readTool = objectOf<WireTool>(
  { name: readText },
  {
    title: readText,
    description: readText,
    annotations: objectOf<ToolAnnotations>(
      {},
      {
        title: readText,
        readOnlyHint: isFlag,
        destructiveHint: isFlag,
        idempotentHint: isFlag,
        openWorldHint: isFlag,
      },
    ),
    icons: readIcons,
    _meta: (value) => (isJsonObject(value) ? value : undefined),
  },
);

function describe(
  definition: ToolDefinition,
  era: ProtocolEra,
  onDiagnostic: (diagnostic: Diagnostic) => void,
): JsonObject | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations, entry, origin } = definition;
  const { execution: _execution, outputSchema: _output, ...rest } = entry ?? {};
  const report = (what: string): void => {
    const { serverId = "", toolName = name } = origin ?? {};
    onDiagnostic({ kind: "protocol-anomaly", serverId, toolName, message: `${what} of ${JSON.stringify(name)}` });
  };
  try {
    const output = outputSchema && toWireOutputSchema(outputSchema, era);
    const tool = readTool({
      ...rest,
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: toWireInputSchema(inputSchema),
      ...(output !== undefined && { outputSchema: output }),
      ...(annotations !== undefined && rest["annotations"] === undefined && { annotations: { ...annotations } }),
    });
    if (!isJsonObject(tool)) throw new TypeError("it has no name");
    // What came off a wire can be written again.
    if (entry === undefined) JSON.stringify(tool);
    if (outputSchema !== undefined && output === undefined) {
      report("some clients could not use the output schema, which is left out,");
    }
    return tool;
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be written";
    report(`no client is shown, because it cannot be sent (${why}), the tool`);
    return undefined;
  }
}

// Their values are data, in which null is a value.
const dataKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "examples"]);
// These are read by everybody as what allows other members or not.
const openKeywords: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

/**
 * An input schema that clients accept in a list of tools: it says `type: "object"`, `null` is as
 * absent, and a schema is an object. The very object where nothing has to change. Throws a
 * `RangeError` for a schema that is nested too deep.
 */
function toWireInputSchema(schema: JsonObject): JsonObject {
  return withObjectRoot(withoutNulls(schema));
}

/**
 * The same for an output schema, which official clients compile when they list: `undefined` for one
 * that they could not, and, before 2026-07-28, for one of anything but objects.
 */
function toWireOutputSchema(schema: JsonObject, era: ProtocolEra): JsonObject | undefined {
  const { $id: _id, $schema, ...mended } = withoutNulls(schema);
  const dialect = typeof $schema === "string" && knownDialect.test($schema) ? { $schema } : {};
  const found: Found = { isSound: true, isSlow: false, reverses: false, refers: false, schemas: 0 };
  const plain = toPlain({ ...dialect, ...mended }, found, 0);
  if (found.refers) followReferences(plain, { root: plain, found, level: 0 });
  // Without its slow keywords, it would refuse what it allows.
  if (!found.isSound || (found.isSlow && found.reverses)) return undefined;
  const takesObjects = plain["type"] === undefined || [plain["type"]].flat().includes("object");
  return era === "modern" ? plain : takesObjects ? withObjectRoot(plain) : undefined;
}

const knownDialect = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/;

// With these, a value of the server's own keeps a validator busy for minutes.
const slowKeywords: ReadonlySet<string> = new Set(["pattern", "uniqueItems", "format"]);
// Where they stand, a schema that allows more is one that allows less.
const reversing: ReadonlySet<string> = new Set(["not", "if", "oneOf", "maxContains"]);
// They depend on other schemas, on how a validator got there, or on slow patterns.
const unsound: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveRef",
  "patternProperties",
]);

// Validators overflow on schemas of 400 levels, and are slow with many schemas.
const mostLevels = 150;
const mostSchemas = 10_000;

/** Properties of a schema as a whole. */
interface Found {
  isSound: boolean;
  isSlow: boolean;
  reverses: boolean;
  refers: boolean;
  schemas: number;
}

/**
 * A schema without slow keywords, and without those that only some validators know, and that some
 * of them refuse. Without them it allows the same or more.
 */
function toPlain(schema: JsonObject, found: Found, level: number): JsonObject {
  found.schemas += 1;
  found.isSound &&= level <= mostLevels && found.schemas <= mostSchemas;
  const members = Object.entries(schema).filter(([keyword, value]) => {
    const shape = keywordShapes.get(keyword);
    const isSlow = slowKeywords.has(keyword);
    found.isSlow ||= isSlow;
    found.reverses ||= reversing.has(keyword);
    found.refers ||= keyword === "$ref";
    if (isSlow || shape === "map" || (shape === undefined && !dataKeywords.has(keyword))) return false;
    found.isSound &&= !unsound.has(keyword) && hasShape(keyword, value);
    return true;
  });
  const plain = mapSchemas(toObject(members), (sub) => (isJsonObject(sub) ? toPlain(sub, found, level + 1) : sub));
  const { type } = plain;
  if (schema["nullable"] !== true || type === undefined) return plain;
  return toObject(Object.entries({ ...plain, type: Array.from(new Set([type, "null"].flat())) }));
}

// Validators compile what is referred to inside of what refers to it.
function followReferences(
  schema: JsonObject,
  { root, found, level }: { readonly root: JsonObject; readonly found: Found; readonly level: number },
): void {
  found.schemas += 1;
  found.isSound &&= level <= mostLevels && found.schemas <= mostSchemas;
  const follow = (sub: unknown): unknown => {
    if (found.isSound && isJsonObject(sub)) followReferences(sub, { root, found, level: level + 1 });
    return sub;
  };
  mapSchemas(schema, follow);
  const { $ref } = schema;
  if (typeof $ref !== "string") return;
  const [, group = "", name = ""] = /^#\/(\$defs|definitions)\/([^/%~]+)$/.exec($ref) ?? [];
  const named = root[group];
  const target = isJsonObject(named) && Object.hasOwn(named, name) ? named[name] : undefined;
  if (isJsonObject(target)) follow(target);
  else found.isSound = false;
}

function withObjectRoot(schema: JsonObject): JsonObject {
  const { type, properties, required } = schema;
  const isFit = type === "object" && (properties === undefined || isJsonObject(properties));
  if (isFit && (required === undefined || readTexts(required) === required)) return schema;
  const members = { type: "object", properties: isJsonObject(properties) ? properties : undefined };
  return toObject(Object.entries({ ...schema, ...members, required: readTexts(required) }));
}

function withoutNulls(schema: JsonObject): JsonObject {
  const isAbsent = ([keyword, value]: readonly [string, unknown]): boolean =>
    value === null ? !dataKeywords.has(keyword) : keyword === "$schema" && typeof value !== "string";
  const members = Object.entries(schema);
  const there = members.some(isAbsent) ? toObject(members.filter((member) => !isAbsent(member))) : schema;
  return mapSchemas(there, toSchema);
}

function toSchema(value: unknown, keyword: string): unknown {
  if (isJsonObject(value)) return withoutNulls(value);
  if (typeof value === "boolean" && openKeywords.has(keyword)) return value;
  return value === false ? { not: {} } : {};
}
