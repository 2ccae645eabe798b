import type { JsonValue } from "@hostside/core";
import { dropUnseen, isJsonObject, sameJson, withoutHalves } from "@hostside/core/implement";
import type { SafeOutcome } from "./read-outcome.ts";

/** Structured content as JSON, or why there is none, in words. */
export type StructuredJson =
  | { readonly kind: "json"; readonly json: string }
  | { readonly kind: "not-json"; readonly why: string };

/**
 * Writes structured content as JSON. The answer of a product's own tool may be no JSON: a cycle, a
 * BigInt, a `toJSON` or a getter that throws. Content that is nested too deeply for the stack
 * cannot be written. Half a surrogate pair becomes U+FFFD, because model APIs refuse a request that
 * has one, also as an escape. Never throws.
 */
export function writeStructured(value: unknown): StructuredJson {
  try {
    const json: unknown = JSON.stringify(value);
    return typeof json === "string"
      ? { kind: "json", json: dropUnseen(withoutHalves(json)) }
      : { kind: "not-json", why: "it is no JSON value" };
  } catch (error) {
    const deep = error instanceof RangeError;
    return { kind: "not-json", why: deep ? "it is nested too deeply" : "it cannot be written as JSON" };
  }
}

/**
 * Structured content as JSON, where there is some that is more than the blocks of the result again.
 */
export function structuredBesideBlocks(outcome: SafeOutcome): StructuredJson | undefined {
  if (outcome.structured === undefined) return undefined;
  const written = writeStructured(outcome.structured.value);
  return written.kind === "json" && repeatsBlocks(written.json, outcome) ? undefined : written;
}

/**
 * Tells whether structured content is the blocks of its result and nothing else, as servers for
 * files send pictures: in an object of the one member `content`, or alone. Linear in the size of
 * that JSON.
 */
export function repeatsBlocks(json: string, { blocks, count }: SafeOutcome): boolean {
  if (count === 0 || count > blocks.length || !/^(?:\{"content":)?\[/.test(json)) return false;
  const structured = parse(json)?.value;
  try {
    return sameJson(Array.isArray(structured) ? structured : unwrap(structured), blocks);
  } catch {
    // Too deep to compare, or a part of a block cannot be read: shown twice rather than not at all.
    return false;
  }
}

const wrapping = /^\{"(?:result|content|text)":/;

/**
 * Tells whether a text of the same result says what the structured content does: it is JSON of
 * that, as the specification asks servers to send it, too; or structured content is an object of
 * one member that is called `result`, as libraries for servers wrap what is no object, or `content`
 * or `text`, and the text is its value, or JSON of it. A member of any other name says more than
 * the text. A text that is far shorter than that JSON is not looked at, so that many short ones
 * cost no more than they are long.
 */
export function repeatsStructured(text: string, json: string): boolean {
  // Every character of a text may be an escape in JSON, and of a few letters, most of the JSON is
  // what they are wrapped in.
  if (text.length * 8 + 64 < json.length) return false;
  if (text === json) return true;
  // Most texts begin in a way that no JSON does.
  const looksLikeJson = /^\s*[-"[{\dtfn]/.test(text.slice(0, 64));
  const mayBeWrapped = wrapping.test(json);
  if (!looksLikeJson && !mayBeWrapped) return false;
  const structured = parse(json)?.value;
  const wrapped = mayBeWrapped ? unwrap(structured) : undefined;
  if (wrapped === text.toWellFormed()) return true;
  const said = looksLikeJson ? parse(withoutHalves(text.toWellFormed())) : undefined;
  try {
    return said !== undefined && (sameJson(said.value, structured) || sameJson(said.value, wrapped));
  } catch {
    // Too deep to compare: shown twice rather than not at all.
    return false;
  }
}

function unwrap(structured: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(structured)) return undefined;
  const [only, ...others] = Object.values(structured);
  return others.length === 0 ? only : undefined;
}

/** A copy of structured content that has nothing but JSON. */
export function plainStructured(json: string): JsonValue | undefined {
  return parse(json)?.value;
}

function parse(json: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(json) as JsonValue };
  } catch {
    // No JSON: a text like any other.
    return undefined;
  }
}
