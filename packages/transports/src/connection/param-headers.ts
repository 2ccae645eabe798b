import type { JsonObject, JsonValue } from "@hostside/core";
import { isHeaderName, isJsonObject, keywordShapes } from "@hostside/core/implement";
import { encodeHeaderValue } from "../http/exchange/request-headers.ts";

/** An argument that travels in a header, too, so that proxies can route by it. */
export interface ParamHeader {
  /** The property names that lead to the argument. */
  readonly path: readonly string[];
  /** As sent: `mcp-param-` and the declared name in small letters. */
  readonly header: string;
}

/** The declarations of one schema, or the first rule that one of them breaks. */
export type ParamHeaders =
  | { readonly headers: readonly ParamHeader[]; readonly fault?: undefined }
  | { readonly headers?: undefined; readonly fault: string };

const keyword = "x-mcp-header";
const headerTypes: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/**
 * Finds the `x-mcp-header` declarations of an input schema that is not nested deeper than a stack
 * bears. Pure. Rules:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export function findParamHeaders(inputSchema: JsonObject): ParamHeaders {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  const fault = visit(inputSchema, []);
  return fault === undefined ? { headers } : { fault };

  // `path` is undefined where the arguments cannot be reached by property names alone.
  function visit(schema: unknown, path: readonly string[] | undefined): string | undefined {
    if (!isJsonObject(schema)) return undefined;
    const declared = Object.hasOwn(schema, keyword) ? declare(schema, path) : undefined;
    return declared ?? visitProperties(schema["properties"], path) ?? visitElsewhere(schema);
  }

  function declare(schema: JsonObject, path: readonly string[] | undefined): string | undefined {
    const name = schema[keyword];
    if (path === undefined || path.length === 0) return `${keyword} stands where no single argument is`;
    if (typeof name !== "string" || !isHeaderName(name)) return `${keyword} of ${path.join(".")} is no header name`;
    if (!headerTypes.has(schema["type"]))
      return `${keyword} of ${path.join(".")} needs the type string, integer or boolean`;
    if (names.has(name.toLowerCase())) return `${keyword} ${name} is declared twice`;
    names.add(name.toLowerCase());
    headers.push({ path, header: `mcp-param-${name.toLowerCase()}` });
    return undefined;
  }

  function visitProperties(properties: unknown, path: readonly string[] | undefined): string | undefined {
    if (!isJsonObject(properties)) return undefined;
    for (const name in properties) {
      const property = properties[name];
      // A path is made for what can declare something, or hold what does.
      const fault = isJsonObject(property) ? visit(property, path && [...path, name]) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  // By what there is, not by what there could be: most schemas have two members or three, and none
  // of these.
  function visitElsewhere(schema: JsonObject): string | undefined {
    for (const key in schema) {
      for (const each of schemasIn(key, schema[key])) {
        const fault = visit(each, undefined);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  }
}

// The schemas that a member of a schema holds, other than its properties. A declaration there has
// no one place among the arguments, which makes the tool invalid.
function schemasIn(key: string, member: JsonValue | undefined): readonly unknown[] {
  if (typeof member !== "object" || member === null || key === "properties") return none;
  const shape = keywordShapes.get(key);
  if (shape === "schema-map") return isJsonObject(member) ? Object.values(member) : none;
  return shape === "schema" || shape === "schemas" ? [member].flat() : none;
}

const none: readonly unknown[] = [];

/** The headers of one call: an argument that is absent, `null` or no plain value has none. */
export function mirrorParams(declared: readonly ParamHeader[], args: JsonObject): Record<string, string> {
  const mirrored: Record<string, string> = {};
  for (const { path, header } of declared) {
    const text = toHeaderText(argumentAt(args, path));
    if (text !== undefined) mirrored[header] = encodeHeaderValue(text);
  }
  return mirrored;
}

function argumentAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function toHeaderText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
