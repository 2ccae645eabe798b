import { isSchemaObject, type SchemaObject } from "./copy-schema.ts";
import { defaultDialect, schemaDialectOf, subschemas, type SchemaDialect } from "./dialect.ts";

/** A schema with an address of its own: the whole, or a part with an `$id`. */
export interface SchemaResource {
  /** Without a fragment. */
  readonly address: string;
  readonly dialect: SchemaDialect;
  readonly root: unknown;
  readonly anchors: Map<string, Located>;
  readonly dynamicAnchors: Map<string, Located>;
}

/** A part of a schema, and the resource by which it is read. */
export interface Located {
  readonly schema: unknown;
  readonly resource: SchemaResource;
}

/** What a reference leads to. */
export interface SchemaReference extends Located {
  /** The dynamic anchor that was meant, if it was one. */
  readonly dynamicAnchor?: string | undefined;
}

/** All resources of one schema. Nothing outside of it exists: no address is ever fetched. */
export interface SchemaDocument {
  readonly root: Located;
  readonly resources: readonly SchemaResource[];
  /**
   * Where a reference in a resource leads to. Throws a `TypeError` for one that leads out of the
   * document or nowhere.
   */
  resolve(reference: unknown, from: SchemaResource): SchemaReference;
  /** Where a subschema of `parent` is read. */
  readonly locate: (schema: unknown, parent: SchemaResource) => Located;
}

// Where a schema without an `$id` is. Nobody goes there.
const nowhere = "schema://local/";

/**
 * Finds the resources and anchors of a copied schema. Throws a `TypeError` for one whose parts
 * contradict each other.
 */
export function readDocument(schema: unknown): SchemaDocument {
  const byAddress = new Map<string, SchemaResource>();
  const owners = new Map<object, SchemaResource>();

  const open = (root: unknown, parent: SchemaResource | undefined): SchemaResource => {
    const { $schema, $id } = isSchemaObject(root) ? root : {};
    const dialect = $schema === undefined ? (parent?.dialect ?? defaultDialect) : schemaDialectOf($schema);
    if (dialect === undefined) throw new TypeError("its $schema is none of draft-07, 2019-09 and 2020-12");
    const base = parent?.address ?? nowhere;
    const isAddress = typeof $id === "string" && !$id.startsWith("#");
    const address = isAddress ? readAddress($id, base).address : base;
    if (byAddress.has(address)) throw new TypeError("two parts of it have the same $id");
    const resource: SchemaResource = { address, dialect, root, anchors: new Map(), dynamicAnchors: new Map() };
    byAddress.set(address, resource);
    return resource;
  };
  const visit = (part: unknown, parent: SchemaResource | undefined): void => {
    if (!isSchemaObject(part)) return;
    const resource = parent === undefined || beginsResource(part, parent) ? open(part, parent) : parent;
    owners.set(part, resource);
    noteAnchors(part, resource);
    for (const [keyword, shape] of subschemas) {
      const held = part[keyword];
      if (held === undefined) continue;
      if (shape === "map") {
        if (isSchemaObject(held)) for (const name in held) visit(held[name], resource);
      } else if (Array.isArray(held)) {
        for (const item of held) visit(item, resource);
      } else {
        visit(held, resource);
      }
    }
  };
  visit(schema, undefined);
  const rootResource = (isSchemaObject(schema) && owners.get(schema)) || open(schema, undefined);
  const locate = (part: unknown, parent: SchemaResource): Located => ({
    schema: part,
    resource: (isSchemaObject(part) && owners.get(part)) || parent,
  });

  return {
    root: { schema, resource: rootResource },
    resources: Array.from(byAddress.values()),
    locate,
    resolve(reference, from) {
      if (typeof reference !== "string") throw new TypeError("a reference in it is no text");
      const { address, fragment } = readAddress(reference, from.address);
      const target = byAddress.get(address);
      if (target === undefined) throw new TypeError("a reference leads out of it, and nothing is fetched");
      if (fragment === "") return locate(target.root, target);
      if (fragment.startsWith("/")) return followPointer(fragment, target, locate);
      const dynamic = target.dynamicAnchors.get(fragment);
      const found = target.anchors.get(fragment) ?? dynamic;
      if (found === undefined) throw new TypeError("a reference in it leads nowhere");
      return { ...found, dynamicAnchor: found === dynamic ? fragment : undefined };
    },
  };
}

function beginsResource({ $id, $ref }: SchemaObject, { dialect }: SchemaResource): boolean {
  return typeof $id === "string" && !$id.startsWith("#") && !(dialect.refStandsAlone && $ref !== undefined);
}

function noteAnchors(schema: SchemaObject, resource: SchemaResource): void {
  const { $id, $anchor, $dynamicAnchor } = schema;
  const located = { schema, resource };
  const isOld = resource.dialect.refStandsAlone;
  const named = isOld && typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
  for (const name of [named, isOld ? undefined : $anchor]) {
    if (typeof name !== "string" || name === "") continue;
    if (resource.anchors.has(name)) throw new TypeError("two parts of it have the same $anchor");
    resource.anchors.set(name, located);
  }
  if (!isOld && typeof $dynamicAnchor === "string") resource.dynamicAnchors.set($dynamicAnchor, located);
}

function followPointer(pointer: string, target: SchemaResource, locate: SchemaDocument["locate"]): Located {
  let at = locate(target.root, target);
  for (const token of pointer.slice(1).split("/")) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = memberOf(at.schema, name);
    if (next === undefined) throw new TypeError("a reference in it leads nowhere");
    at = locate(next, at.resource);
  }
  return at;
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,8})$/.test(name) ? value[Number(name)] : undefined;
  return isSchemaObject(value) ? value[name] : undefined;
}

function readAddress(reference: string, base: string): { readonly address: string; readonly fragment: string } {
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    return { address: url.href, fragment };
  } catch (error) {
    // Both of them throw for what they cannot read, and nothing else.
    throw new TypeError("an address in it makes no sense", { cause: error });
  }
}
