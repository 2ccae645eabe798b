import { quoteText } from "@hostside/core/implement";
import { didYouMean, nearNames } from "../program/near-names.ts";
import { usageError } from "../exit-codes.ts";
import { alternativesOf } from "./schema-alternatives.ts";
import { findParameter, type Parameter, type Parameters } from "./tool-parameters.ts";

/** An argument as it was typed. */
export interface TypedArgument {
  readonly parameter: Parameter;
  /** The option as it is shown in messages: `--name`. */
  readonly option: string;
  readonly given: string | boolean;
}

/** What was typed after the name of a tool. */
export interface TypedArguments {
  readonly typed: readonly TypedArgument[];
  /** A lone `-`: more of them are JSON on stdin. */
  readonly isOnStdin: boolean;
}

/**
 * Reads what was typed after the name of a tool: `--name value`, `--name=value`, `--flag` and
 * `--no-flag` for a boolean. Throws a usage error for a name that the tool has not, naming what is
 * near and what there is.
 */
export function readTypedOptions(tokens: readonly string[], parameters: Parameters): TypedArguments {
  const typed: TypedArgument[] = [];
  let isOnStdin = false;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    if (token === "--") continue;
    if (token === "-") isOnStdin = true;
    else {
      const next = tokens[at + 1];
      const read = readOption(token, next, parameters);
      typed.push(read.argument);
      if (read.tookNext) at += 1;
    }
  }
  return { typed, isOnStdin };
}

interface ReadOption {
  readonly argument: TypedArgument;
  readonly tookNext?: boolean;
}

function readOption(token: string, next: string | undefined, parameters: Parameters): ReadOption {
  if (!token.startsWith("--")) throw notAnOption(token, parameters);
  const sign = token.indexOf("=");
  if (sign > 2) {
    return { argument: argumentOf(token.slice(2, sign), token.slice(sign + 1), parameters) };
  }
  const name = token.slice(2);
  const parameter = findParameter(name, parameters);
  if (parameter === undefined) return { argument: readNegation(name, parameters) };
  const kinds = alternativesOf(parameter.schema, parameters.root).map(({ kind }) => kind);
  if (kinds.includes("boolean") && !kinds.includes("string")) {
    if (next === "true" || next === "false")
      return { argument: argumentOf(name, next === "true", parameters), tookNext: true };
    if (kinds.length === 1 || next === undefined || next.startsWith("--"))
      return { argument: argumentOf(name, true, parameters) };
  }
  if (next === undefined || next === "--" || /^--[^\s-]/.test(next)) {
    const hint =
      next === undefined || next === "--" ? undefined : `A value that begins with -- is given as --${name}=${next}`;
    throw usageError(`--${shown(name)} needs a value`, hint);
  }
  return { argument: argumentOf(name, next, parameters), tookNext: true };
}

function readNegation(name: string, parameters: Parameters): TypedArgument {
  const positive = name.startsWith("no-") ? name.slice("no-".length) : "";
  const parameter = positive === "" ? undefined : findParameter(positive, parameters);
  const kinds =
    parameter === undefined ? [] : alternativesOf(parameter.schema, parameters.root).map(({ kind }) => kind);
  if (!kinds.includes("boolean")) throw unknownName(name, parameters);
  return argumentOf(positive, false, parameters);
}

function argumentOf(name: string, given: TypedArgument["given"], parameters: Parameters): TypedArgument {
  const parameter = findParameter(name, parameters);
  if (parameter === undefined) throw unknownName(name, parameters);
  return { parameter, option: `--${shown(name)}`, given };
}

function unknownName(name: string, parameters: Parameters): Error {
  const names = [...parameters.byName.keys()];
  const meant = didYouMean(nearNames(name, names).map((one) => `--${shown(one)}`));
  const all = names.slice(0, mostNamed).map((one) => `--${shown(one)}`);
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const list = names.length === 0 ? "The tool takes no arguments." : `The tool takes ${all.join(", ")}${rest}.`;
  return usageError(
    `the tool has no parameter --${shown(name)}`,
    [...(meant === undefined ? [] : [meant]), list].join(" "),
  );
}

function notAnOption(token: string, parameters: Parameters): Error {
  const [, name] = /^([^=]+)=/.exec(token) ?? [];
  const isMeant = name !== undefined && findParameter(name, parameters) !== undefined;
  const hint = isMeant
    ? `Did you mean --${shown(token)}?`
    : "Arguments are given as --name value, or as JSON by --args.";
  return usageError(`${quoteText(token, 100)} is no option`, hint);
}

const mostNamed = 30;

function shown(name: string): string {
  return quoteText(name, 100).slice(1, -1);
}
