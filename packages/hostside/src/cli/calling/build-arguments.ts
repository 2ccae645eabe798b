import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { usageError } from "../usage-error.ts";
import { coerceEntry, coerceText, listAlternative, parseJson, type Coerced } from "./coerce-text.ts";
import type { TypedArgument } from "./read-options.ts";
import { alternativesOf, memberOf } from "./schema-alternatives.ts";

/**
 * Reads what `@file` stands for; `-` is stdin. Rejects with a usage error for what cannot be read.
 */
export type ReadSource = (source: string) => Promise<Uint8Array>;

/** What arguments are made from. */
export interface ArgumentSources {
  /** JSON that single arguments are put into, and win over. */
  readonly base: JsonObject;
  /** The tool's input schema. */
  readonly root: JsonObject;
  readonly readSource: ReadSource;
}

/**
 * The arguments of a call. Members of every object are defined, never assigned, so that one called
 * `__proto__` is one like any other. Throws a usage error for a text that is no value of its
 * schema.
 */
export async function buildArguments(
  typed: readonly TypedArgument[],
  { base, root, readSource }: ArgumentSources,
): Promise<JsonObject> {
  const groups = new Map<string, TypedArgument[]>();
  for (const argument of typed) {
    const key = JSON.stringify(argument.place.path);
    groups.set(key, [...(groups.get(key) ?? []), argument]);
  }
  // Whole objects first, so that `--a.b` is put into what `--a` gives, in whatever order they were
  // typed.
  const inOrder = [...groups.values()].toSorted((one, other) => depthOf(one) - depthOf(other));
  let args = base;
  for (const group of inOrder) {
    const [first] = group;
    if (first === undefined) continue;
    const { path, schema } = first.place;
    const values = await Promise.all(group.map((one) => readGiven(one, readSource)));
    args = withMember(args, path, toValue(group, values, { schema, root }));
  }
  return args;
}

/** An object with a member at a path; objects on the way are made where there are none. */
export function withMember(object: JsonObject, [name = "", ...rest]: readonly string[], value: JsonValue): JsonObject {
  const inside = memberOf(object, name);
  const member = rest.length === 0 ? value : withMember(isJsonObject(inside) ? inside : {}, rest, value);
  const members = Object.entries(object).filter(([key]) => key !== name);
  return Object.fromEntries([...members, [name, member]]);
}

type Read = string | boolean | { readonly bytes: Uint8Array } | { readonly json: JsonValue };

async function readGiven({ given, option }: TypedArgument, readSource: ReadSource): Promise<Read> {
  if (given.kind === "flag") return given.value;
  if (given.kind === "json") {
    const json = parseJson(given.text);
    if (json === undefined) throw usageError(`${option}:= must be followed by JSON`);
    return { json };
  }
  const { text } = given;
  if (text.startsWith("@@")) return text.slice(1);
  return text.startsWith("@") && text.length > 1 ? { bytes: await readSource(text.slice(1)) } : text;
}

function toValue(
  group: readonly TypedArgument[],
  values: readonly Read[],
  { schema, root }: { readonly schema: unknown; readonly root: JsonObject },
): JsonValue {
  const option = group[0]?.option ?? "";
  const [only] = values;
  const take = (coerced: Coerced): JsonValue => {
    if (coerced.kind === "problem") throw usageError(`${option} ${coerced.problem}`);
    return coerced.value;
  };
  const one = (read: Read, coerce: (text: string) => Coerced): JsonValue => {
    if (typeof read === "boolean") return read;
    if (typeof read === "object" && "json" in read) return read.json;
    return take(coerce(typeof read === "string" ? read : decode(read.bytes, { schema, option })));
  };
  if (values.length === 1 && only !== undefined) return one(only, (text) => coerceText(text, schema, root));
  const list = listAlternative(alternativesOf(schema, root));
  if (list === undefined) throw usageError(`${option} is given ${values.length} times, and takes one value`);
  return values.map((read) => one(read, (text) => coerceEntry(text, list, root)));
}

// A schema can ask for bytes as base64; everything else is text, and text is UTF-8.
function decode(bytes: Uint8Array, { schema, option }: { readonly schema: unknown; readonly option: string }): string {
  if (memberOf(schema, "contentEncoding") === "base64" || memberOf(schema, "format") === "byte")
    return Buffer.from(bytes).toString("base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${option}: the file is not UTF-8 text`);
  }
}

function depthOf([first]: readonly TypedArgument[]): number {
  return first?.place.path.length ?? 0;
}
