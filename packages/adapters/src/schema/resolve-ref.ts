import type { JsonObject } from "@hostside/core";
import { isSchema, memberOf, subschemasOf } from "./keywords.ts";

/**
 * The schema that a reference leads to inside the same document: `#`, a JSON pointer (`#/$defs/a`),
 * or `#name` of an `$anchor`. `undefined` for one that leads nowhere, to what is no schema, or into
 * another document, which is never fetched.
 */
export function resolveRef(root: JsonObject, ref: string): JsonObject | boolean | undefined {
  if (ref === "#") return root;
  if (ref.startsWith("#/")) return resolvePointer(root, ref.slice(2));
  return ref.startsWith("#") && ref.length > 1 ? findAnchor(root, ref.slice(1)) : undefined;
}

function resolvePointer(root: JsonObject, pointer: string): JsonObject | boolean | undefined {
  let at: unknown = root;
  for (const token of pointer.split("/")) {
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
    // A lone `%` in a name is one that nobody encoded.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

// To look for each anchor anew is quadratic. A schema is never changed.
const anchors = new WeakMap<JsonObject, ReadonlyMap<unknown, JsonObject>>();

function findAnchor(root: JsonObject, name: string): JsonObject | undefined {
  const known = anchors.get(root) ?? readAnchors(root);
  anchors.set(root, known);
  return known.get(name);
}

function readAnchors(root: JsonObject): ReadonlyMap<unknown, JsonObject> {
  const found = new Map<unknown, JsonObject>();
  const waiting: JsonObject[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const { $anchor: anchor } = node;
    if (anchor !== undefined && !found.has(anchor)) found.set(anchor, node);
    for (const { schema } of subschemasOf(node))
      if (isSchema(schema) && typeof schema !== "boolean") waiting.push(schema);
  }
  return found;
}

/**
 * The references of a document that lead back to themselves: without them, to follow all others
 * ends. Each schema is looked at once, by a list of its own, so that no chain of references
 * exhausts the stack.
 */
export function findCycles(root: JsonObject): ReadonlySet<string> {
  const closing = new Set<string>();
  const state = new Map<JsonObject, "open" | "done">();
  const stack: { readonly node: JsonObject; readonly next: Iterator<readonly [JsonObject, string | undefined]> }[] = [];
  const enter = (node: JsonObject): void => {
    state.set(node, "open");
    stack.push({ node, next: edgesOf(root, node)[Symbol.iterator]() });
  };
  enter(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const step = top.next.next();
    if (step.done === true) {
      state.set(top.node, "done");
      stack.pop();
      continue;
    }
    const [node, ref] = step.value;
    const known = state.get(node);
    if (known === undefined) enter(node);
    else if (known === "open" && ref !== undefined) closing.add(ref);
  }
  return closing;
}

function edgesOf(root: JsonObject, node: JsonObject): readonly (readonly [JsonObject, string | undefined])[] {
  const edges: (readonly [JsonObject, string | undefined])[] = [];
  for (const { keyword, schema } of subschemasOf(node)) {
    // Definitions are reached by what refers to them.
    if (keyword === "$defs" || keyword === "definitions") continue;
    if (isSchema(schema) && typeof schema !== "boolean") edges.push([schema, undefined]);
  }
  const ref = node["$ref"];
  const target = typeof ref === "string" ? resolveRef(root, ref) : undefined;
  if (typeof ref === "string" && target !== undefined && typeof target !== "boolean") edges.push([target, ref]);
  return edges;
}
