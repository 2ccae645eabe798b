import type { JsonObject, JsonValue } from "@hostside/core";
import { inspectText, isJsonObject } from "@hostside/core/implement";
import { assignNames, isLegalName, verbatimNaming } from "@hostside/naming";
import { aboutTools, fail, pass, notApplicable, defineChecks, hostAdvice, type ServerCheck } from "./define-check.ts";
import { exponentialPattern } from "../exponential-pattern.ts";

// What the major model APIs accept of a function's name.
const longestName = 64;
// A host puts a prefix such as "mcp_github_" in front: what is left for the tool's own name.
const roomForPrefix = 20;
const longestDescription = 1024;
const longestInstructions = 2048;
const largestSchema = 16 * 1024;
const deepestSchema = 10;
// Four characters are about a token of JSON; hosts start to hide tools at some 10,000 tokens.
const mostTokens = 10_000;

/** What the hosts and model APIs in the field make of a server's tools. */
export const portabilityChecks: readonly ServerCheck[] = defineChecks("any", ["tools/list"], {
  "portability/name-length": aboutTools({
    title: `Names leave room for a host's prefix in ${longestName} characters`,
    level: "HOST",
    rule: `Model APIs take function names of at most ${longestName} characters, and hosts put the server's name in front.`,
    source: hostAdvice("name-length"),
    legal: [`names of at most ${longestName - roomForPrefix} characters`],
    fix: "Shorten the name; the description is the place for details. Hosts cut longer names and add a hash.",
    problem: ({ name }) =>
      typeof name === "string" && name.length > longestName - roomForPrefix && `${name.length} characters`,
  }),
  "portability/name-characters": aboutTools({
    title: "Names need no repair for model APIs",
    level: "HOST",
    rule: "Model APIs take ASCII letters, digits, underscore and hyphen in function names.",
    source: hostAdvice("name-characters"),
    legal: ["names that match ^[A-Za-z0-9_-]+$"],
    fix: "Use an underscore instead of a dot, slash or space: hosts replace them anyway, each in its own way.",
    problem: ({ name }) =>
      typeof name === "string" &&
      !isLegalName(name.slice(0, longestName), verbatimNaming) &&
      "hosts replace some of its characters",
  }),
  "portability/name-collisions": aboutTools({
    title: "Names stay apart when a host normalises them",
    level: "HOST",
    rule: "Hosts fold case and replace characters, so that get-item and getItem_ may become one.",
    source: hostAdvice("name-collisions"),
    legal: ["no two names differ only in case, or in characters other than letters and digits"],
    fix: "Rename one of them.",
    judge: (tools) => {
      const identities = tools.flatMap(({ name }) =>
        typeof name === "string" ? [{ serverId: "s", toolName: name }] : [],
      );
      return assignNames(identities).collisions.map(({ members }) =>
        members.map(({ toolName }) => JSON.stringify(toolName)).join(" and "),
      );
    },
  }),
  "portability/schema-top-level": aboutTools({
    title: "Input schemas have no anyOf, oneOf, allOf, not or enum at the top",
    level: "HOST",
    rule: "Several model APIs refuse a whole request when one function's parameters have such a keyword at the top level.",
    source: hostAdvice("schema-top-level"),
    legal: ["a plain object schema with properties at the top"],
    fix: "Move the alternatives into a property, or make two tools of it.",
    problem: ({ inputSchema }) =>
      isJsonObject(inputSchema) &&
      ["anyOf", "oneOf", "allOf", "not", "enum", "if"].filter((word) => inputSchema[word] !== undefined).join(", "),
  }),
  "portability/schema-properties": aboutTools({
    title: "Input schemas name their properties",
    level: "HOST",
    rule: "Several model APIs refuse an object schema without properties.",
    source: hostAdvice("schema-properties"),
    legal: ["properties is an object, which may be empty", "every property has a type, an enum or a reference"],
    fix: 'Add "properties": {} to tools without parameters, and a type to each property.',
    problem({ inputSchema }) {
      if (!isJsonObject(inputSchema)) return undefined;
      const { properties } = inputSchema;
      if (!isJsonObject(properties)) return "no properties";
      const untyped = Object.entries(properties).flatMap(([key, schema]) => (isTyped(schema) ? [] : [key]));
      return untyped.length > 0 && `no type for ${untyped.join(", ")}`;
    },
  }),
  "portability/schema-size": aboutTools({
    title: "Schemas are small and flat enough for a model",
    level: "HOST",
    rule: "Every byte of a schema is paid for in each request that declares the tool, and hosts leave out what is too deep or too large.",
    source: hostAdvice("schema-size"),
    legal: [
      `input schemas of at most ${largestSchema} characters, with at most ${deepestSchema} schemas inside one another`,
    ],
    fix: "Split the tool, drop what a model never sets, and replace deep structures by a text argument that the server parses.",
    problem({ inputSchema = null }) {
      const size = JSON.stringify(inputSchema).length;
      const depth = depthOf(inputSchema);
      if (size > largestSchema) return `${size} characters, of at most ${largestSchema}`;
      return depth > deepestSchema && `${depth} schemas inside one another, of at most ${deepestSchema}`;
    },
  }),
  "portability/schema-patterns": aboutTools({
    title: "No pattern takes exponential time",
    level: "HOST",
    rule: "A host that validates with a backtracking engine stands still on patterns such as (a+)+.",
    source: hostAdvice("schema-patterns"),
    legal: ["patterns without a repeated group that itself ends in a repetition of the same characters"],
    fix: "Rewrite the pattern without nested repetition; bound what you can with maxLength.",
    problem: ({ inputSchema = null, outputSchema = null }) =>
      JSON.stringify(patternsOf([inputSchema, outputSchema]).find(exponentialPattern)),
  }),
  "portability/description": aboutTools({
    title: "Every tool says what it does, in a few sentences",
    level: "HOST",
    rule: "A model chooses by description; several APIs refuse or cut more than some 1,000 characters.",
    source: hostAdvice("description"),
    legal: [`a description of 1 to ${longestDescription} characters`],
    fix: "Say what the tool does, when to use it and what comes back; move manuals into the server's instructions or a resource.",
    problem({ description }) {
      if (typeof description !== "string" || description.trim() === "") return "no description";
      return description.length > longestDescription && `${description.length} characters`;
    },
  }),
  "portability/plain-text": aboutTools({
    title: "Names, titles and descriptions are plain text",
    level: "HOST",
    rule: "Hosts strip or refuse escape sequences, control, bidirectional, invisible and tag characters, because they hide text from people.",
    source: hostAdvice("plain-text"),
    legal: ["text without such characters"],
    fix: "Remove them; they often come in with copied text.",
    problem(tool) {
      const texts = [tool["name"], tool["title"], tool["description"]].filter((text) => typeof text === "string");
      return [...new Set(texts.flatMap(inspectText))].join(", ");
    },
  }),
  "portability/token-cost": aboutTools({
    title: `All definitions together cost a model fewer than ${mostTokens} tokens`,
    level: "HOST",
    rule: "Hosts hide a server's tools behind a search when they take too much of the context.",
    source: hostAdvice("token-cost"),
    legal: [`fewer than about ${mostTokens} tokens, at four characters a token`],
    fix: "Shorten descriptions and schemas, or offer fewer, broader tools.",
    judge: (tools) => {
      const tokens = Math.round(
        JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).length /
          4,
      );
      return tokens >= mostTokens ? [`about ${tokens} tokens`] : [];
    },
  }),
  "portability/instructions": {
    title: `The server's instructions are plain text of at most ${longestInstructions} characters`,
    level: "HOST",
    rule: "Hosts cut instructions, some at two kilobytes, and mark or drop those that hide characters.",
    source: hostAdvice("instructions"),
    legal: ["no instructions", `a plain text of at most ${longestInstructions} characters`],
    fix: "Say how the tools belong together and when to use which; what belongs to one tool goes into its description.",
    needs: ["lifecycle/second-client"],
    run: async (target) => {
      const { result } = await target.identity();
      const { instructions } = result;
      if (instructions === undefined) return notApplicable("the server gives no instructions");
      if (typeof instructions !== "string") return fail(`instructions is ${typeof instructions}`);
      const flags = inspectText(instructions);
      if (flags.length > 0) return fail(`instructions with ${flags.join(", ")}`);
      const { length } = instructions;
      return length <= longestInstructions ? pass(`${length} characters`) : fail(`${length} characters`);
    },
  },
});

function isTyped(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return typeof schema === "boolean";
  return ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"].some((keyword) => schema[keyword] !== undefined);
}

// Keywords whose value is a schema, a list of schemas, or schemas by name.
const subschemas = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const schemaLists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const schemaMaps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** How many schemas are inside one another, without recursion, because the value is a stranger's. */
function depthOf(schema: JsonValue | undefined): number {
  let level: readonly (JsonValue | undefined)[] = [schema];
  for (let depth = -1; ; depth += 1) {
    const schemas = level.filter(isJsonObject);
    if (schemas.length === 0) return depth;
    level = schemas.flatMap((each) => [
      ...[...subschemas, ...schemaLists].flatMap((keyword) => each[keyword] ?? []),
      ...schemaMaps.flatMap((keyword) => Object.values(isJsonObject(each[keyword]) ? each[keyword] : {})),
    ]);
  }
}

function patternsOf(value: JsonValue): readonly string[] {
  const patterns: string[] = [];
  const waiting: (JsonValue | undefined)[] = [value];
  while (waiting.length > 0) {
    const item = waiting.pop();
    if (typeof item !== "object" || item === null) continue;
    const { pattern } = item as JsonObject;
    if (typeof pattern === "string") patterns.push(pattern);
    waiting.push(...Object.values(item));
  }
  return patterns;
}
