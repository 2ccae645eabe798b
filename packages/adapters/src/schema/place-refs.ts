import type { JsonObject } from "@hostside/core";
import { adaptInside } from "./adapt-inside.ts";
import { NotExact, noteChange, noteMore, type Adaptation } from "./adaptation.ts";
import { intersect } from "./intersect.ts";
import {
  annotationKeywords,
  isConstraint,
  isSchema,
  toObject,
  subschemasOf,
  without,
  withMembers,
} from "./keywords.ts";
import { findCycles, resolveRef } from "./resolve-ref.ts";

type Schema = JsonObject | boolean;

/** How many schemas may come of references that are written out, and how deep. */
const inlineBounds = { schemas: 4000, depth: 64 } as const;

interface Refs {
  readonly root: JsonObject;
  readonly cycles: ReadonlySet<string>;
  readonly adaptation: Adaptation;
  /** Whether a schema inside has an `$id`, so that its references mean another document. */
  readonly hasOwnScopes: boolean;
  /** Names under `$defs`, by reference. */
  readonly names: Map<string, string>;
  readonly taken: Set<string>;
  /** References whose targets are not under `$defs` yet. */
  readonly waiting: string[];
  /** Those that are being written out here, from the outside inwards. */
  readonly open: readonly string[];
  /**
   * Whether others are about the same object as the schema that is placed, in a profile that has
   * each closed.
   */
  readonly isShared: boolean;
  readonly made: { schemas: number };
}

/**
 * A schema whose references the API takes: all of them to `$defs` of the root, each of which is
 * there once; or, where it takes none, what they lead to in their place. One that leads back to
 * itself, out of the document or nowhere takes anything, and so does one for which there is no more
 * room: what comes of references that lead to references can be exponential.
 */
export function placeRefs(root: JsonObject, adaptation: Adaptation): JsonObject {
  const refs: Refs = {
    root,
    cycles: findCycles(root),
    hasOwnScopes: hasInnerId(root),
    adaptation,
    names: new Map(),
    taken: new Set(),
    waiting: [],
    open: [],
    isShared: false,
    made: { schemas: 0 },
  };
  const placed = place(withoutDefs(root), refs);
  const made = typeof placed === "boolean" ? {} : placed;
  const defs: [string, Schema][] = [];
  for (let ref = refs.waiting.pop(); ref !== undefined; ref = refs.waiting.pop()) {
    const target = resolveRef(root, ref);
    const name = refs.names.get(ref);
    if (target !== undefined && name !== undefined) defs.push([name, place(withoutDefs(target), refs)]);
  }
  return defs.length === 0 ? made : withMembers(made, { $defs: toObject(defs) });
}

function hasInnerId(root: JsonObject): boolean {
  const waiting: JsonObject[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node !== root && typeof node["$id"] === "string") return true;
    for (const { schema } of subschemasOf(node))
      if (isSchema(schema) && typeof schema !== "boolean") waiting.push(schema);
  }
  return false;
}

const scopeKeywords = ["$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor"];

function withoutDefs(schema: Schema): Schema {
  return typeof schema === "boolean" ? schema : without(schema, ...scopeKeywords);
}

function place(schema: Schema, refs: Refs): Schema {
  if (typeof schema === "boolean") return schema;
  refs.made.schemas += 1;
  const ref = schema["$ref"];
  const node = dropDynamic(without(schema, ...scopeKeywords), refs);
  const placeInside = (owner: JsonObject): JsonObject =>
    adaptInside(owner, refs.adaptation, (sub, keyword, adaptation) =>
      place(sub, { ...refs, adaptation, isShared: isShared(keyword, owner, refs) }),
    );
  if (typeof ref !== "string") return placeInside(node);
  const beside = placeInside(without(node, "$ref"));
  return placeRef(ref, beside, refs);
}

// What is put together with others has to be written out.
function isShared(keyword: string, owner: JsonObject, { adaptation, isShared: isOwnerShared }: Refs): boolean {
  if (adaptation.profile.schema.closed === undefined) return false;
  const isUnion = keyword === "anyOf" || keyword === "oneOf";
  return keyword === "allOf" || (isUnion && (isOwnerShared || owner["properties"] !== undefined));
}

function dropDynamic(node: JsonObject, { adaptation }: Refs): JsonObject {
  if (node["$dynamicRef"] === undefined && node["$recursiveRef"] === undefined) return node;
  noteMore(adaptation, "a dynamic $ref left out");
  return without(node, "$dynamicRef", "$recursiveRef");
}

function placeRef(ref: string, beside: JsonObject, refs: Refs): Schema {
  const { adaptation, root, cycles } = refs;
  const rule = adaptation.profile.schema.refs.value;
  const target = refs.hasOwnScopes ? undefined : resolveRef(root, ref);
  if (target === undefined) {
    noteMore(adaptation, "a $ref that leads out of the schema or nowhere left out");
    return beside;
  }
  const hasRoom = refs.made.schemas < inlineBounds.schemas && refs.open.length < inlineBounds.depth;
  // Where some lead back to themselves and that is not taken, all are written out: any of them
  // might lead to one.
  const isKept = rule === "recursive" || (rule === "local" && cycles.size === 0);
  const speaks = Object.keys(beside).some((keyword) => isConstraint(keyword) || keyword === "description");
  if (isKept && !refs.isShared && (!speaks || !hasRoom || cycles.size > 0)) {
    noteChange(adaptation, "$ref to $defs of the root");
    return keepRef(ref, beside, refs);
  }
  if (refs.open.includes(ref)) {
    noteMore(adaptation, "a $ref that leads back to itself cut");
    return typeof target === "boolean" ? beside : withMembers(beside, { type: beside["type"] ?? target["type"] });
  }
  if (!hasRoom) {
    noteMore(adaptation, "a $ref for which there was no more room left out");
    return beside;
  }
  noteChange(adaptation, "$ref written out");
  return put(place(target, { ...refs, open: [...refs.open, ref] }), beside, refs);
}

function keepRef(ref: string, beside: JsonObject, refs: Refs): JsonObject {
  // What is under `$defs` may have to take more than it did.
  if (refs.adaptation.exactly) throw new NotExact("a $ref to what may be adapted otherwise");
  let name = refs.names.get(ref);
  if (name === undefined) {
    const last = (ref.split("/").at(-1) ?? "").replaceAll(/[^A-Za-z0-9_]/g, "_").slice(0, 40);
    name = last === "" || last === "_" ? "schema" : last;
    if (refs.taken.has(name)) name = `${name}_${refs.taken.size}`;
    refs.taken.add(name);
    refs.names.set(ref, name);
    refs.waiting.push(ref);
  }
  const lost = Object.keys(beside).filter((keyword) => !annotationKeywords.has(keyword));
  if (lost.length > 0) noteMore(refs.adaptation, "what stands beside a $ref left out");
  return { $ref: `#/$defs/${name}` };
}

// What is written beside a reference describes this use of it, and goes before what is written
// where it leads.
function put(target: Schema, beside: JsonObject, { adaptation }: Refs): Schema {
  if (typeof target === "boolean") return target && Object.keys(beside).length > 0 ? beside : target;
  const isPlain = Object.keys(beside).every((keyword) => !isConstraint(keyword));
  if (isPlain) return { ...target, ...beside };
  const both = intersect(beside, target);
  if (both !== undefined) return both;
  noteChange(adaptation, "what stands beside a $ref put into allOf");
  return { allOf: [target, beside] };
}
