import type { JsonObject, JsonValue } from "@hostside/core";
import { findMeant, quoteText } from "@hostside/core/implement";
import { didYouMean, usageError } from "../exit-codes.ts";
import { coerceText, entrySchemaOf } from "../values/coerce-text.ts";
import { alternativesOf, findParameter, type Parameter, type Parameters } from "../values/parameters.ts";

/** Sources of the arguments of a call. */
export interface ArgumentSources {
  readonly parameters: Parameters;
  /** JSON that single arguments are put into, and win over. */
  readonly readBase: () => Promise<JsonObject>;
  /** Reads a file for `@file`, and stdin for `@-`. Rejects with a usage error. */
  readonly readSource: (source: string) => Promise<Uint8Array>;
}

interface TypedArgument {
  readonly parameter: Parameter;
  readonly given: string | boolean;
}

/**
 * Reads what was typed after the name of a tool: `--name value`, `--name=value`, and `--flag` and
 * `--no-flag` for a boolean. Members are defined, never assigned, so
 * that an argument called `__proto__` is one like any other. Throws a usage error for a name that
 * the tool has not, naming near ones, and for a text that is no value of its schema.
 */
export async function readArguments(tokens: readonly string[], sources: ArgumentSources): Promise<JsonObject> {
  const { parameters, readBase, readSource } = sources;
  const groups = new Map<string, TypedArgument[]>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    if (token === "--") continue;
    const { tookNext, ...argument } = readOption(token, tokens[at + 1], parameters);
    if (tookNext === true) at += 1;
    const { name } = argument.parameter;
    groups.set(name, [...(groups.get(name) ?? []), argument]);
  }
  let args = await readBase();
  for (const [name, group] of groups) {
    const values = await Promise.all(group.map((one) => readGiven(one, readSource)));
    args = withMember(args, name, toValue(group[0]?.parameter, values));
  }
  return args;
}

/** An object with a member, which is last. */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

function readOption(
  token: string,
  next: string | undefined,
  parameters: Parameters,
): TypedArgument & { readonly tookNext?: boolean } {
  if (!token.startsWith("--")) throw notAnOption(token, parameters);
  const sign = token.indexOf("=");
  const name = token.slice(2, sign > 2 ? sign : undefined);
  const parameter = findParameter(name, parameters);
  if (parameter === undefined) {
    const negated = sign > 2 || !name.startsWith("no-") ? undefined : findParameter(name.slice(3), parameters);
    if (negated === undefined || !kindsOf(negated).includes("boolean")) throw unknownName(name, parameters);
    return { parameter: negated, given: false };
  }
  if (sign > 2) return { parameter, given: token.slice(sign + 1) };
  const kinds = kindsOf(parameter);
  if (kinds.includes("boolean") && !kinds.includes("string")) {
    if (next === "true" || next === "false") return { parameter, given: next === "true", tookNext: true };
    if (kinds.length === 1 || next === undefined || next.startsWith("--")) return { parameter, given: true };
  }
  if (next !== undefined && next !== "--" && !/^--[^\s-]/.test(next)) return { parameter, given: next, tookNext: true };
  const hint =
    next?.startsWith("--") === true && next !== "--"
      ? `A value that begins with -- is given as --${name}=${next}`
      : undefined;
  throw usageError(`${optionOf(name)} needs a value`, hint);
}

function kindsOf({ schema }: Parameter): readonly string[] {
  return alternativesOf(schema).map(({ kind }) => kind);
}

async function readGiven(
  { given, parameter }: TypedArgument,
  readSource: ArgumentSources["readSource"],
): Promise<string | boolean> {
  if (typeof given === "boolean" || !given.startsWith("@") || given === "@") return given;
  if (given.startsWith("@@")) return given.slice(1);
  const bytes = await readSource(given.slice(1));
  // A schema can ask for bytes as base64; everything else is text in UTF-8.
  const { contentEncoding, format } = parameter.schema;
  if (contentEncoding === "base64" || format === "byte") return Buffer.from(bytes).toString("base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${optionOf(parameter.name)}: the file is not UTF-8 text`);
  }
}

function toValue(parameter: Parameter | undefined, given: readonly (string | boolean)[]): JsonValue {
  const { name = "", schema } = parameter ?? {};
  const isList = given.length > 1;
  const wanted = isList ? entrySchemaOf(schema) : schema;
  if (isList && wanted === undefined)
    throw usageError(`${optionOf(name)} is given ${given.length} times, and takes one value`);
  const values = given.map((one): JsonValue => {
    const coerced = typeof one === "boolean" ? ({ kind: "value", value: one } as const) : coerceText(one, wanted);
    if (coerced.kind === "problem") throw usageError(`${optionOf(name)} ${coerced.problem}`);
    return coerced.value;
  });
  return isList ? values : (values[0] ?? null);
}

function unknownName(name: string, { byName }: Parameters): Error {
  const names = [...byName.keys()];
  const meant = didYouMean(findMeant(name, names, (one) => [one]).map(optionOf));
  const all = names.slice(0, mostNamed).map(optionOf).join(", ");
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const list = names.length === 0 ? "The tool takes no arguments." : `The tool takes ${all}${rest}.`;
  return usageError(`the tool has no parameter ${optionOf(name)}`, meant === undefined ? list : `${meant} ${list}`);
}

function notAnOption(token: string, parameters: Parameters): Error {
  const [, name] = /^([^=]+)=/.exec(token) ?? [];
  const isMeant = name !== undefined && findParameter(name, parameters) !== undefined;
  const hint = isMeant
    ? `Did you mean ${optionOf(token)}?`
    : "Arguments are given as --name value, or as JSON by --args.";
  return usageError(`${quoteText(token, 100)} is no option`, hint);
}

const mostNamed = 30;

function optionOf(name: string): string {
  return `--${quoteText(name, 100).slice(1, -1)}`;
}
