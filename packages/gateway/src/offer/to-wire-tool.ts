import type { Diagnostic, JsonObject, ProtocolEra, Resource, ToolAnnotations, ToolDefinition } from "@hostside/core";
import {
  hasShape,
  isJsonObject,
  isSchema,
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
  const found: Found = { isSound: true, isSlow: false, reverses: false };
  const plain = toPlain({ ...dialect, ...mended }, found);
  // Without its slow keywords, it would refuse what it allows.
  if (!found.isSound || (found.isSlow && found.reverses)) return undefined;
  if (sizeOf(plain, { root: plain, known: new Map(), level: 0 }) > mostSchemas) return undefined;
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

/** Properties of a schema as a whole. */
interface Found {
  isSound: boolean;
  isSlow: boolean;
  reverses: boolean;
}

/**
 * A schema without slow keywords, and without those that only some validators know, and that some
 * of them refuse. Without them it allows the same or more.
 */
function toPlain(schema: JsonObject, found: Found): JsonObject {
  const members = Object.entries(schema).filter(([keyword, value]) => {
    const shape = keywordShapes.get(keyword);
    const isSlow = slowKeywords.has(keyword);
    found.isSlow ||= isSlow;
    found.reverses ||= reversing.has(keyword);
    if (isSlow || shape === "map" || (shape === undefined && !dataKeywords.has(keyword))) return false;
    found.isSound &&= !unsound.has(keyword) && hasShape(keyword, value);
    return true;
  });
  const plain = mapSchemas(toObject(members), (sub) => (isJsonObject(sub) ? toPlain(sub, found) : sub));
  const { type } = plain;
  if (schema["nullable"] !== true || type === undefined) return plain;
  return toObject(Object.entries({ ...plain, type: Array.from(new Set([type, "null"].flat())) }));
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

// Validators compile what is referred to inside of what refers to it: one of 400 levels overflows.
const mostLevels = 150;
// As often as a validator may have to look, whatever the value is.
const mostSchemas = 10_000;

interface Walk {
  readonly root: JsonObject;
  readonly known: Map<JsonObject, number>;
  readonly level: number;
}

/**
 * Counts schemas, with what each refers to in its place; endless for one that refers to itself, or
 * to what is no schema.
 */
function sizeOf(schema: JsonObject, { root, known, level }: Walk): number {
  const size = known.get(schema);
  if (size !== undefined) return size;
  if (level > mostLevels) return Infinity;
  known.set(schema, Infinity);
  const inner: unknown[] = [];
  mapSchemas(schema, (sub) => {
    inner.push(sub);
    return sub;
  });
  if (Object.hasOwn(schema, "$ref")) {
    const target = findTarget(schema["$ref"], root);
    if (!isSchema(target)) return Infinity;
    inner.push(target);
  }
  const next = { root, known, level: level + 1 };
  const whole = inner.filter(isJsonObject).reduce((sum, one) => sum + sizeOf(one, next), 1);
  known.set(schema, whole);
  return whole;
}

/**
 * The target of a local `$ref`: a schema that stands where schemas stand, since nothing else was
 * looked through. `undefined` for any other reference, and for an escaped one, which validators
 * read differently.
 */
function findTarget(ref: unknown, root: JsonObject): unknown {
  if (typeof ref !== "string" || ref.includes("%") || (ref !== "#" && !ref.startsWith("#/"))) return undefined;
  let found: unknown = root;
  let shape: string | undefined = "schema";
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    if (shape === "schema") shape = keywordShapes.get(name);
    else if (shape === "schemas" || shape === "schema-map") shape = "schema";
    else return undefined;
    found = Reflect.get(found, name);
    if (shape === "schema" && Array.isArray(found)) shape = "schemas";
  }
  return shape === "schema" ? found : undefined;
}
