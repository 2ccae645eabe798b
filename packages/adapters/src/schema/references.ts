import type { JsonObject } from "@hostside/core";
import { note, type Adaptation } from "./adaptation.ts";
import { isSchema, memberOf, without, withMembers, type Schema } from "./keywords.ts";
import { mergeSchemas } from "./merge-schemas.ts";

// What references may be written out to.
const mostWrittenOut = 4000;
const mostOpen = 64;

/** A schema whose references are written out, and the references inside which it stands. */
export interface Expanded {
  readonly schema: Schema;
  readonly open: readonly string[];
}

/**
 * Writes out the reference of a schema, and those that this leads to. A reference that leads back
 * to itself, out of the schema or nowhere is left out.
 */
export function expandRef(given: Schema, outer: readonly string[], work: Adaptation): Expanded {
  let schema = given;
  let open = outer;
  while (typeof schema !== "boolean" && typeof schema["$ref"] === "string") {
    const ref: string = schema["$ref"];
    const beside: JsonObject = without(schema, "$ref");
    const target = resolveRef(work.root, ref);
    if (target === undefined) {
      note(work, "a $ref that leads out of the schema or nowhere left out");
      return { schema: beside, open };
    }
    if (open.includes(ref) || open.length >= mostOpen || work.count.references >= mostWrittenOut) {
      note(work, "a $ref that leads back to itself cut");
      const type = typeof target === "boolean" ? undefined : target["type"];
      return { schema: withMembers(beside, { type: beside["type"] ?? type }), open };
    }
    work.count.references += 1;
    note(work, "$ref written out");
    open = [...open, ref];
    schema = mergeSchemas(beside, target);
  }
  return { schema, open };
}

/** Finds the schema that a reference stands for; `undefined` if it leads out or nowhere. */
export function resolveRef(root: JsonObject, ref: string): Schema | undefined {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const token of ref.slice(2).split("/")) {
    const name = decode(token);
    at = Array.isArray(at) && /^(?:0|[1-9]\d{0,5})$/.test(name) ? at[Number(name)] : memberOf(at, name);
  }
  return isSchema(at) ? at : undefined;
}

function decode(token: string): string {
  let text = token;
  try {
    text = decodeURIComponent(token);
  } catch {
    // A percent sign of the name's own.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
