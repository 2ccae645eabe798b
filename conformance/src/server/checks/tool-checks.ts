import { isJsonObject, type JsonObject } from "@toolport/core";
import { compileSchema } from "../compile-schema.ts";
import { describeAnswer } from "../handshake.ts";
import { readRawListing } from "../raw-listing.ts";
import { fail, failWith, legacySpec, pass, type ServerCheck } from "./define-check.ts";
import { aboutTools } from "./about-tools.ts";

const page = "server/tools";
const paging = "server/utilities/pagination";

/** How a server lists its tools. */
export const toolChecks: readonly ServerCheck[] = [
  {
    id: "tools/list",
    title: "tools/list answers when the capability is declared",
    level: "MUST",
    requirement: {
      sentence: "Servers that declare the tools capability answer tools/list.",
      ...legacySpec(`${page}#capabilities`, "Tools, capabilities"),
    },
    legal: ["a result with an array of tools, on every page"],
    fix: "Return { tools: [] } when there are none.",
    needs: ["lifecycle/initialize"],
    run: async (target) => {
      const { session, handshake } = await target.shared();
      if (!isJsonObject(handshake.capabilities["tools"]))
        return { status: "not-applicable", reason: "the server declares no tools" };
      const { broken, pages, tools } = await target.listing();
      if (broken) return failWith(broken, session, target);
      const wrong = pages.find(({ result }) => !Array.isArray(result["tools"]));
      return wrong
        ? fail(`a page without an array of tools: ${JSON.stringify(wrong.result)}`, session, target)
        : pass(`${tools.length} tools on ${pages.length} pages`);
    },
  },
  {
    id: "tools/capability-honest",
    title: "A server without the tools capability does not list tools",
    level: "SHOULD",
    requirement: {
      sentence: "Both parties use only capabilities that were negotiated.",
      ...legacySpec("basic/lifecycle#operation", "Lifecycle, operation"),
    },
    legal: ["an error to tools/list", "an empty list"],
    fix: "Declare capabilities.tools: hosts do not ask a server for tools that does not.",
    needs: ["lifecycle/initialize"],
    run: async (target) => {
      const { session, handshake, request } = await target.shared();
      if (isJsonObject(handshake.capabilities["tools"]))
        return { status: "not-applicable", reason: "the server declares tools" };
      const answer = await request("tools/list");
      const listed =
        answer.kind === "result" && isJsonObject(answer.result) && Array.isArray(answer.result["tools"])
          ? answer.result["tools"]
          : [];
      return listed.length === 0
        ? pass("none listed")
        : fail(`${listed.length} tools that no host will see`, session, target);
    },
  },
  {
    id: "tools/pagination-ends",
    title: "Following the cursors ends",
    level: "MUST",
    requirement: {
      sentence: "A result without nextCursor is the last page; a cursor marks a position that moves on.",
      ...legacySpec(paging, "Pagination"),
    },
    legal: ["no cursor comes twice, and there are at most 200 pages"],
    fix: "Leave nextCursor out on the last page; derive each cursor from the last item of its page.",
    needs: ["tools/list"],
    run: async (target) => {
      const { session } = await target.shared();
      const { pages, repeatedCursor } = await target.listing();
      if (repeatedCursor !== undefined)
        return fail(`cursor ${JSON.stringify(repeatedCursor)} came twice`, session, target);
      return pages.length < 200 ? pass(`${pages.length} pages`) : fail("no end after 200 pages", session, target);
    },
  },
  {
    id: "tools/unknown-cursor",
    title: "A cursor that the server did not give is refused with -32602",
    level: "SHOULD",
    requirement: {
      sentence: "Invalid cursors should result in an error with code -32602.",
      ...legacySpec(paging, "Pagination, error handling"),
    },
    legal: ["error -32602"],
    fix: "Check the cursor and answer -32602: a host that sees page one again may read for ever.",
    needs: ["tools/list"],
    run: async (target) => {
      const { session, request } = await target.shared();
      const { pages } = await target.listing();
      if (pages.length < 2) return { status: "not-applicable", reason: "the server lists everything on one page" };
      const answer = await request("tools/list", { cursor: "toolport-no-such-cursor" });
      return answer.kind === "error" && answer.code === -32602
        ? pass("error -32602")
        : fail(describeAnswer(answer), session, target);
    },
  },
  aboutTools({
    id: "tools/name-unique",
    title: "Every tool has a name of its own",
    level: "MUST",
    requirement: {
      sentence: "A tool's name is its unique identifier within the server.",
      ...legacySpec(`${page}#tool`, "Tools, data types"),
    },
    legal: ["all names are non-empty strings, and no two are equal"],
    fix: "Rename one of them: hosts keep the first and drop the rest.",
    judge: (tools) => {
      const seen = new Set<unknown>();
      return tools.flatMap(({ name }) => {
        if (typeof name !== "string" || name === "") return [`a tool with the name ${JSON.stringify(name)}`];
        if (seen.has(name)) return [`${JSON.stringify(name)} is there twice`];
        seen.add(name);
        return [];
      });
    },
  }),
  aboutTools({
    id: "tools/name-form",
    title: "Names are 1 to 128 characters of A-Z a-z 0-9 _ - .",
    level: "SHOULD",
    requirement: {
      sentence: "Tool names should be 1 to 128 characters long, of ASCII letters, digits, underscore, hyphen and dot.",
      ...legacySpec(`${page}#tool-names`, "Tools, tool names"),
    },
    legal: ["names that match ^[A-Za-z0-9_.-]{1,128}$"],
    fix: "Use snake_case or kebab-case names; put spaces and other scripts into the title.",
    judge: (tools) =>
      tools.flatMap(({ name }) =>
        typeof name === "string" && /^[A-Za-z0-9_.-]{1,128}$/.test(name) ? [] : [JSON.stringify(name)],
      ),
  }),
  aboutTools({
    id: "tools/input-schema",
    title: "Every tool has an input schema of type object",
    level: "MUST",
    requirement: {
      sentence: "inputSchema is a JSON Schema object, with type object, never null.",
      ...legacySpec(`${page}#tool`, "Tools, data types"),
    },
    legal: [
      'an object with "type": "object"',
      'for a tool without parameters { "type": "object", "additionalProperties": false }',
    ],
    fix: "Wrap the schema: the arguments of a tool are always one object.",
    judge: (tools) =>
      tools.flatMap(({ name, inputSchema }) =>
        isObjectSchema(inputSchema) ? [] : [`${JSON.stringify(name)}: ${JSON.stringify(inputSchema)?.slice(0, 80)}`],
      ),
  }),
  aboutTools({
    id: "tools/schema-compiles",
    title: "Schemas are valid JSON Schema",
    level: "MUST",
    requirement: {
      sentence: "Schemas conform to the dialect that they name, 2020-12 by default.",
      ...legacySpec("basic#json-schema-usage", "JSON Schema usage"),
    },
    legal: ["every inputSchema and outputSchema compiles in its dialect: 2020-12, 2019-09 or draft-07"],
    fix: "Run the schema through a validator; common slips are a draft-04 $schema, a required that is no array, and a pattern that is no regular expression.",
    judge: (tools) =>
      tools.flatMap(({ name, inputSchema, outputSchema }) =>
        [inputSchema, outputSchema].filter(isJsonObject).flatMap((schema) => {
          const compiled = compileSchema(schema);
          return compiled.ok ? [] : [`${JSON.stringify(name)}: ${compiled.reason}`];
        }),
      ),
  }),
  aboutTools({
    id: "tools/schema-local",
    title: "Schemas refer to nothing on the network",
    level: "HOST",
    requirement: {
      sentence: "Hosts never fetch a $ref from the network.",
      ...legacySpec("basic#json-schema-usage", "JSON Schema usage"),
    },
    legal: ["every $ref begins with # or names an $id or $anchor in the same schema"],
    fix: "Bundle the referenced schema under $defs.",
    judge: (tools) =>
      tools.flatMap((tool) =>
        /"\$(?:dynamicRef|ref)":"(?:https?|ftp|file):/.test(JSON.stringify([tool["inputSchema"], tool["outputSchema"]]))
          ? [JSON.stringify(tool["name"])]
          : [],
      ),
  }),
  aboutTools({
    id: "tools/annotations",
    title: "Annotations are booleans that do not contradict each other",
    level: "HOST",
    requirement: {
      sentence:
        "Hints describe a tool's behaviour; destructive and idempotent mean something only for tools that are not read-only.",
      ...legacySpec("schema#toolannotations", "Schema, ToolAnnotations"),
    },
    legal: ["each hint is true, false or absent", "no tool is both readOnlyHint and destructiveHint"],
    fix: "Leave destructiveHint out, or false, when readOnlyHint is true.",
    judge: (tools) =>
      tools.flatMap(({ name, annotations }) => {
        if (annotations === undefined) return [];
        if (!isJsonObject(annotations)) return [`${JSON.stringify(name)}: annotations is no object`];
        const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        const odd = hints.filter((hint) => annotations[hint] !== undefined && typeof annotations[hint] !== "boolean");
        if (odd.length > 0) return [`${JSON.stringify(name)}: ${odd.join(", ")} is no boolean`];
        return annotations["readOnlyHint"] === true && annotations["destructiveHint"] === true
          ? [`${JSON.stringify(name)}: read-only and destructive`]
          : [];
      }),
  }),
  {
    id: "tools/order-stable",
    title: "Two listings are equal, to the order of the tools",
    level: "SHOULD",
    requirement: {
      sentence: "Tools should be listed in a deterministic order, so that hosts and models can cache.",
      section: "Tools, listing",
      url: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
    },
    legal: ["the same tools in the same order, as long as nothing changed"],
    fix: "Sort the tools, or list them in the order of registration; do not iterate over an unordered map.",
    needs: ["tools/list"],
    run: async (target) => {
      const ready = await target.shared();
      const [first, second] = [await target.listing(), await readRawListing(ready)];
      if (JSON.stringify(first.tools) === JSON.stringify(second.tools)) return pass("equal");
      return fail(`first ${names(first.tools)}; then ${names(second.tools)}`, ready.session, target);
    },
  },
  {
    id: "tools/restart-stable",
    title: "After a restart the listing is the same",
    level: "HOST",
    requirement: {
      sentence: "A host that restarts a server goes on with the tools that it had.",
      section: "host advice",
      url: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools",
    },
    legal: ["the same definitions in a new process or session"],
    fix: "Keep times, random values and counters out of names, descriptions and schemas.",
    needs: ["tools/list"],
    run: async (target) => {
      const again = await target.openReady();
      const [first, second] = [await target.listing(), await readRawListing(again)];
      if (JSON.stringify(first.tools) === JSON.stringify(second.tools)) return pass("equal");
      return fail(`first ${names(first.tools)}; after a restart ${names(second.tools)}`, again.session, target);
    },
  },
];

function isObjectSchema(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && schema["type"] === "object";
}

function names(tools: readonly JsonObject[]): string {
  return tools
    .map(({ name }) => JSON.stringify(name))
    .join(", ")
    .slice(0, 200);
}
