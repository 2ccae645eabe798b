import { isJsonObject } from "@hostside/core/implement";
import { createSchemaCompiler } from "../compile-schema.ts";
import { excerpt } from "../handshake.ts";
import {
  aboutTools,
  conclude,
  notApplicable,
  defineChecks,
  legacySpec,
  modernSpec,
  hostAdvice,
  repeatedKeys,
  type ServerCheck,
} from "./define-check.ts";

const page = "server/tools";

/** Whether the definitions that a server lists keep to the specification. */
export const definitionChecks: readonly ServerCheck[] = defineChecks("any", ["tools/list"], {
  "tools/entries": {
    title: "Every entry is an object with a name",
    level: "MUST",
    rule: "A tool has a name, which is a text; title and description are texts when they are there.",
    source: legacySpec("schema#tool", "Schema, Tool"),
    legal: ["objects with a non-empty name; title and description are texts or absent"],
    fix: "Look at the entry that is named: hosts drop it, and older ones refuse the whole list because of it.",
    run: async (target) => {
      await target.shared();
      const { pages } = await target.listing();
      const entries = pages.flatMap(({ result }) => (Array.isArray(result["tools"]) ? result["tools"] : []));
      if (entries.length === 0) return notApplicable("the server lists no tools");
      const wrong = entries.filter((entry) => !isEntry(entry));
      return conclude(wrong.map(excerpt), `${entries.length} entries`);
    },
  },
  "tools/name-unique": aboutTools({
    title: "Every tool has a name of its own",
    level: "SHOULD",
    rule: "Tool names are unique within a server.",
    source: legacySpec(`${page}#tool-names`, "Tools, tool names"),
    legal: ["no two names are equal"],
    fix: "Rename one of them: hosts keep the first and drop the rest.",
    judge: (tools) => repeatedKeys(tools, "name"),
  }),
  "tools/name-form": aboutTools({
    title: "Names are 1 to 128 characters of A-Z a-z 0-9 _ - .",
    level: "SHOULD",
    rule: "Tool names should be 1 to 128 characters long, of ASCII letters, digits, underscore, hyphen and dot.",
    source: legacySpec(`${page}#tool-names`, "Tools, tool names"),
    legal: ["names that match ^[A-Za-z0-9_.-]{1,128}$"],
    fix: "Use snake_case or kebab-case names; put spaces and other scripts into the title.",
    problem: ({ name }) => {
      if (typeof name !== "string") return false;
      return name.length > 128 ? `${name.length} characters` : !/^[\w.-]*$/.test(name) && "other characters";
    },
  }),
  "tools/input-schema": aboutTools({
    title: "Every tool has an input schema of type object",
    level: "MUST",
    rule: "inputSchema is a JSON Schema object, with type object, never null.",
    source: legacySpec(`${page}#tool`, "Tools, tool"),
    legal: [
      'an object with "type": "object"',
      'for a tool without parameters { "type": "object", "additionalProperties": false }',
    ],
    fix: "Wrap the schema: the arguments of a tool are always one object.",
    problem: ({ inputSchema }) =>
      !(isJsonObject(inputSchema) && inputSchema["type"] === "object") && excerpt(inputSchema),
  }),
  "tools/output-schema": aboutTools({
    title: "An output schema is an object",
    level: "MUST",
    rule: "outputSchema is a JSON Schema object, when it is there.",
    source: legacySpec(`${page}#tool`, "Tools, tool"),
    legal: ["a JSON Schema object", "no outputSchema"],
    fix: "Leave outputSchema out when the results have no structure; null is no schema.",
    problem: ({ outputSchema }) => outputSchema !== undefined && !isJsonObject(outputSchema) && excerpt(outputSchema),
  }),
  "tools/schema-compiles": aboutTools({
    title: "Schemas are valid JSON Schema",
    level: "MUST",
    rule: "Schemas conform to the dialect that they name, 2020-12 by default.",
    source: legacySpec("basic#schema-validation", "JSON Schema usage, schema validation"),
    legal: ["every inputSchema and outputSchema compiles in its dialect: 2020-12, 2019-09 or draft-07"],
    fix: "Run the schema through a validator; common slips are a draft-04 $schema, a required that is no array, and a pattern that is no regular expression.",
    judge(tools) {
      const compile = createSchemaCompiler();
      return tools.flatMap(({ name, inputSchema, outputSchema }) =>
        [inputSchema, outputSchema].filter(isJsonObject).flatMap((schema) => {
          const compiled = compile(schema);
          return compiled.ok ? [] : [`${JSON.stringify(name)}: ${compiled.reason}`];
        }),
      );
    },
  }),
  "tools/schema-local": aboutTools({
    title: "Schemas refer to nothing on the network",
    level: "HOST",
    rule: "Hosts never fetch a $ref from the network.",
    source: hostAdvice("schema-local"),
    legal: ["every $ref begins with # or names an $id or $anchor in the same schema"],
    fix: "Bundle the referenced schema under $defs.",
    problem: ({ inputSchema, outputSchema }) =>
      /"\$(?:dynamicRef|ref)":"(?:https?|ftp|file):[^"]*/.exec(JSON.stringify([inputSchema, outputSchema]))?.[0],
  }),
  "tools/header-parameters": aboutTools({
    title: "Parameters that are mirrored into headers can be",
    level: "MUST",
    rule: "An x-mcp-header is a header name that no other parameter has, of a text, integer or boolean; hosts drop a tool that breaks this.",
    source: modernSpec("server/tools#x-mcp-header", "Tools, x-mcp-header"),
    revisions: ["2026-07-28"],
    legal: [
      "no x-mcp-header",
      "a token of RFC 9110 that occurs once, on a property of type string, integer or boolean",
    ],
    fix: "Mend the annotation, or take it away: over HTTP the tool is invisible until then.",
    problem: ({ inputSchema }) => headerProblems(inputSchema).join(", "),
  }),
  "tools/annotations": aboutTools({
    title: "Annotations are booleans that do not contradict each other",
    level: "HOST",
    rule: "Hints describe a tool's behaviour; destructive and idempotent mean something only for tools that are not read-only.",
    source: legacySpec("schema#toolannotations", "Schema, ToolAnnotations"),
    legal: ["each hint is true, false or absent", "no tool is both readOnlyHint and destructiveHint"],
    fix: "Leave destructiveHint out, or false, when readOnlyHint is true.",
    problem({ annotations = {} }) {
      if (!isJsonObject(annotations)) return "annotations is no object";
      const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
      const odd = hints.filter((hint) => annotations[hint] !== undefined && typeof annotations[hint] !== "boolean");
      if (odd.length > 0) return `${odd.join(", ")} is no boolean`;
      return (
        annotations["readOnlyHint"] === true && annotations["destructiveHint"] === true && "read-only and destructive"
      );
    },
  }),
});

function isEntry(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { name, title, description } = entry;
  const texts = [title, description].every((text) => text === undefined || typeof text === "string");
  return typeof name === "string" && name !== "" && texts;
}

/** What is wrong with the `x-mcp-header` annotations of a schema's own properties. */
function headerProblems(inputSchema: unknown): readonly string[] {
  const properties = isJsonObject(inputSchema) ? inputSchema["properties"] : undefined;
  if (!isJsonObject(properties)) return [];
  const seen = new Set<string>();
  return Object.entries(properties).flatMap(([key, property]) => {
    const header = isJsonObject(property) ? property["x-mcp-header"] : undefined;
    if (!isJsonObject(property) || header === undefined) return [];
    if (typeof header !== "string" || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
      return [`${key}: x-mcp-header ${excerpt(header)}`];
    if (seen.has(header.toLowerCase())) return [`${key}: x-mcp-header ${excerpt(header)} is there twice`];
    seen.add(header.toLowerCase());
    const { type } = property;
    return type === "string" || type === "integer" || type === "boolean"
      ? []
      : [`${key}: ${excerpt(type)} in a header`];
  });
}
