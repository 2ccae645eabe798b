import type { JsonObject, JsonValue } from "@hostside/core";
import { describeLostNumber, findLostNumber, quoteText } from "@hostside/core/implement";
import { usageError } from "../exit-codes.ts";
import { alternativesOf, type Alternative } from "./schema-alternatives.ts";

/**
 * What a text is as a value of a schema, or what would be right, in words that go on after a name:
 * `must be an integer`.
 */
export type Coerced =
  | { readonly kind: "value"; readonly value: JsonValue }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * A text as a value that a schema allows. A text stays a text wherever the schema allows one, or
 * says nothing: nothing becomes a number that the schema does not call one. Lists and objects are
 * JSON; a text that is no list is the only entry of one.
 */
export function coerceText(text: string, schema: unknown, root: JsonObject): Coerced {
  return coerceAs(text, alternativesOf(schema, root), root);
}

/** An entry of a list, as a value that one of the list's schemas allows. */
export function coerceEntry(text: string, list: Alternative, root: JsonObject): Coerced {
  return coerceText(text, list.schema["items"], root);
}

/** The alternative of a schema that is a list, where a text alone would not do. */
export function listAlternative(alternatives: readonly Alternative[]): Alternative | undefined {
  return alternatives.find(({ kind }) => kind === "array");
}

/**
 * What a value of a schema is, in a few words for people: `integer`, `"a" | "b"`, `string[]`.
 * Cleaned and bounded.
 */
export function describeKinds(schema: unknown, root: JsonObject): string {
  const words = alternativesOf(schema, root).flatMap((one): readonly string[] => {
    if (one.choices !== undefined) return one.choices.map(showChoice);
    if (one.kind !== "array") return [one.kind];
    const entries = alternativesOf(one.schema["items"], root);
    const [entry] = entries;
    return [entries.length === 1 && entry?.choices === undefined ? `${entry?.kind ?? ""}[]` : "array"];
  });
  const unique = [...new Set(words)];
  const shown = unique.slice(0, mostShown).join(" | ");
  if (unique.length === 0) return "any";
  return unique.length > mostShown ? `${shown} | …` : shown;
}

const mostShown = 12;
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function coerceAs(text: string, alternatives: readonly Alternative[], root: JsonObject): Coerced {
  if (alternatives.length === 0) return value(text);
  const failed: string[] = [];
  for (const alternative of alternatives) {
    const tried = tryAs(text, alternative, root);
    if (tried.kind === "value") return tried;
    failed.push(tried.problem);
  }
  const choices = alternatives.flatMap((one) => (one.choices ?? []).map(showChoice));
  const others = alternatives.flatMap((one, at) => (one.choices === undefined ? [failed[at] ?? ""] : []));
  const shown = choices.slice(0, mostListed).join(", ") + (choices.length > mostListed ? ", …" : "");
  const listed = choices.length === 0 ? [] : [`${choices.length === 1 ? "" : "one of "}${shown}`];
  return problem(`must be ${[...listed, ...new Set(others)].join(", or ")}`);
}

const mostListed = 50;

function tryAs(text: string, alternative: Alternative, root: JsonObject): Coerced {
  const { kind, choices } = alternative;
  if (choices !== undefined) {
    const chosen = choices.find((one) =>
      typeof one === "string" ? one === text : JSON.stringify(one) === text.trim(),
    );
    return chosen === undefined ? problem("") : value(chosen);
  }
  switch (kind) {
    case "string":
      return value(text);
    case "null":
      return text.trim() === "null" ? value(null) : problem("null");
    case "boolean":
      return text.trim() === "true" || text.trim() === "false"
        ? value(text.trim() === "true")
        : problem("true or false");
    case "integer":
    case "number":
      return tryNumber(text.trim(), kind);
    case "array":
      return tryList(text, alternative, root);
    case "object": {
      const parsed = parseJson(text);
      const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
      return isObject ? value(parsed) : problem(`an object as JSON, such as '{"name": "value"}'`);
    }
  }
}

function tryNumber(text: string, kind: "integer" | "number"): Coerced {
  const number = decimal.test(text) ? Number(text) : Number.NaN;
  if (kind === "number" ? !Number.isFinite(number) : !Number.isInteger(number)) {
    return problem(kind === "number" ? "a number" : "an integer");
  }
  // It would be sent as another number than was typed.
  return findLostNumber(text) === undefined ? value(number) : problem("a number of at most 15 digits");
}

function tryList(text: string, list: Alternative, root: JsonObject): Coerced {
  const parsed = /^\s*\[/.test(text) ? parseJson(text) : undefined;
  if (Array.isArray(parsed)) return value(parsed);
  const entry = coerceEntry(text, list, root);
  return entry.kind === "value" ? value([entry.value]) : problem(`a list, of which each entry ${entry.problem}`);
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
  return quoteChoice(typeof choice === "string" ? choice : JSON.stringify(choice), typeof choice === "string");
}

function quoteChoice(text: string, isText: boolean): string {
  const quoted = quoteText(text, 60);
  return isText ? quoted : quoted.slice(1, -1);
}

function value(one: JsonValue): Coerced {
  return { kind: "value", value: one };
}

function problem(text: string): Coerced {
  return { kind: "problem", problem: text };
}
