import type { JsonValue } from "@hostside/core";
import { describeLostNumber, findLostNumber, isJsonObject, quoteText } from "@hostside/core/implement";
import { usageError } from "../exit-codes.ts";
import { alternativesOf, type Alternative } from "./parameters.ts";

/** A text as a value of a schema, or the rule that it breaks: `must be an integer`. */
export type Coerced =
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "problem"; readonly problem: string };

const mostDescribed = 12;
const mostListed = 50;
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A text as a value that a schema allows. A text stays a text wherever the schema allows one, or
 * says nothing: nothing becomes a number that the schema does not call one. Lists and objects are
 * JSON; a text that is no list is the only entry of one.
 */
export function coerceText(text: string, schema: unknown): Coerced {
  const alternatives = alternativesOf(schema);
  if (alternatives.length === 0) return value(text);
  const problems = new Set<string>();
  for (const alternative of alternatives) {
    const tried = tryAs(text, alternative);
    if (tried.kind === "value") return tried;
    problems.add(tried.problem);
  }
  return problem(`must be ${[...problems].join(", or ")}`);
}

/** The schema of the entries of a list; `undefined` where the schema allows no list. */
export function entrySchemaOf(schema: unknown): JsonValue | undefined {
  const list = alternativesOf(schema).find(({ kind }) => kind === "array");
  return list && (list.schema["items"] ?? {});
}

/**
 * Describes the values of a schema in a few words for people: `integer`, `"a" | "b"`, `string[]`.
 * Cleaned and bounded.
 */
export function describeKinds(schema: unknown): string {
  const words = alternativesOf(schema).flatMap((one): readonly string[] => {
    if (one.kind === "choice") return one.choices.map(showChoice);
    if (one.kind !== "array") return [one.kind];
    const [entry, ...others] = alternativesOf(one.schema["items"]);
    return [entry !== undefined && others.length === 0 && entry.kind !== "choice" ? `${entry.kind}[]` : "array"];
  });
  const unique = [...new Set(words)];
  const shown = unique.slice(0, mostDescribed).join(" | ");
  if (unique.length === 0) return "any";
  return unique.length > mostDescribed ? `${shown} | …` : shown;
}

function tryAs(text: string, alternative: Alternative): Coerced {
  const trimmed = text.trim();
  switch (alternative.kind) {
    case "string":
      return value(text);
    case "choice":
      return tryChoice(text, alternative.choices);
    case "null":
      return trimmed === "null" ? value(null) : problem("null");
    case "boolean":
      return trimmed === "true" || trimmed === "false" ? value(trimmed === "true") : problem("true or false");
    case "integer":
    case "number":
      return tryNumber(trimmed, alternative.kind);
    case "array": {
      const parsed = /^\s*\[/.test(text) ? parseJson(text) : undefined;
      if (Array.isArray(parsed)) return value(parsed);
      const entry = coerceText(text, alternative.schema["items"]);
      return entry.kind === "value" ? value([entry.value]) : problem(`a list, of which each entry ${entry.problem}`);
    }
    case "object": {
      const parsed = parseJson(text);
      return isJsonObject(parsed) ? value(parsed) : problem(`an object as JSON, such as '{"name": "value"}'`);
    }
  }
}

function tryChoice(text: string, choices: readonly JsonValue[]): Coerced {
  const chosen = choices.find((one) => (typeof one === "string" ? one === text : JSON.stringify(one) === text.trim()));
  if (chosen !== undefined) return value(chosen);
  const shown = choices.slice(0, mostListed).map(showChoice).join(", ");
  return problem(`${choices.length === 1 ? "" : "one of "}${shown}${choices.length > mostListed ? ", …" : ""}`);
}

function tryNumber(text: string, kind: "integer" | "number"): Coerced {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  if (kind === "number" ? !Number.isFinite(number) : !Number.isInteger(number)) {
    return problem(kind === "number" ? "a number" : "an integer");
  }
  // It would be sent as another number than was typed.
  return findLostNumber(text) === undefined ? value(number) : problem("a number of at most 15 digits");
}

/**
 * Parses JSON; `undefined` for what is none. Throws a usage error for a number that loses digits.
 */
export function parseJson(text: string): JsonValue | undefined {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  const lost = findLostNumber(text);
  if (lost === undefined) return parsed;
  throw usageError(`the JSON has ${describeLostNumber(lost)}: give it as a string, or with at most 15 digits`);
}

function showChoice(choice: JsonValue): string {
  return typeof choice === "string" ? quoteText(choice, 60) : quoteText(JSON.stringify(choice), 60).slice(1, -1);
}

function value(one: JsonValue): Coerced {
  return { kind: "value", value: one };
}

function problem(text: string): Coerced {
  return { kind: "problem", problem: text };
}
