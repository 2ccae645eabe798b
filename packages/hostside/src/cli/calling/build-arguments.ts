import type { JsonObject, JsonValue } from "@hostside/core";
import { usageError } from "../exit-codes.ts";
import { coerceEntry, coerceText, listAlternative, type Coerced } from "./coerce-text.ts";
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
    const { name } = argument.parameter;
    groups.set(name, [...(groups.get(name) ?? []), argument]);
  }
  let args = base;
  for (const [name, group] of groups) {
    const values = await Promise.all(group.map((one) => readGiven(one, readSource)));
    args = withMember(args, name, toValue(group, values, root));
  }
  return args;
}

/** An object with a member, which is last. */
export function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

type Read = string | boolean | Uint8Array;

async function readGiven({ given }: TypedArgument, readSource: ReadSource): Promise<Read> {
  if (typeof given === "boolean") return given;
  if (given.startsWith("@@")) return given.slice(1);
  return given.startsWith("@") && given.length > 1 ? readSource(given.slice(1)) : given;
}

function toValue([first]: readonly TypedArgument[], values: readonly Read[], root: JsonObject): JsonValue {
  const { option = "", parameter } = first ?? {};
  const schema = parameter?.schema;
  const one = (read: Read, coerce: (text: string) => Coerced): JsonValue => {
    if (typeof read === "boolean") return read;
    const coerced = coerce(typeof read === "string" ? read : decode(read, { schema, option }));
    if (coerced.kind === "problem") throw usageError(`${option} ${coerced.problem}`);
    return coerced.value;
  };
  const [only] = values;
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
