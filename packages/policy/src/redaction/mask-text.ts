import { findKnownShapes, type SecretFinder, type SecretSpan } from "@hostside/core/implement";
import { findPairs, leadOf } from "./find-pairs.ts";
import type { Placeholders } from "./placeholders.ts";
import type { SecretDetector } from "./redaction-options.ts";
import type { SecretKeys } from "./secret-keys.ts";

/** What is looked for in one result, and what takes its place. */
export interface Search {
  readonly keys: SecretKeys;
  readonly findValues: SecretFinder;
  readonly knownShapes: boolean;
  readonly detectors: readonly SecretDetector[];
  readonly placeholders: Placeholders;
}

/** Something of the product's failed, so that nobody knows whether a text has secrets. */
export interface PartFailure extends Error {
  /** Which, for events. */
  readonly part: string;
}

/** Makes the error to throw when a part of the product's failed. */
export function partFailure(part: string, cause: unknown): PartFailure {
  return Object.assign(new Error(`${part} failed`, { cause }), { part });
}

/** Whether an error is one of those. */
export function isPartFailure(error: unknown): error is PartFailure {
  return error instanceof Error && "part" in error && typeof error.part === "string";
}

/**
 * The text without its secrets; the very same when there are none. Linear in its length, as far as
 * the detectors are.
 */
export function maskText(text: string, search: Search): string {
  const spans: SecretSpan[] = [];
  append(spans, search.findValues(text));
  if (search.knownShapes) append(spans, findKnownShapes(text));
  append(spans, findPairs(text, search.keys));
  for (const detector of search.detectors) append(spans, ask(detector, text));
  return put(text, spans, search.placeholders);
}

/**
 * The same for what is not read by people, such as the bytes of a picture: only the values that the
 * host knows.
 */
export function maskValuesAlone(text: string, { findValues, placeholders }: Search): string {
  return put(text, findValues(text), placeholders);
}

/** A text that is a secret as a whole, but for blanks around it and the scheme in front of it. */
export function maskWhole(text: string, search: Search): string {
  const start = leadOf(text);
  const end = text.trimEnd().length;
  if (start >= end) return maskText(text, search);
  const secret = text.slice(start, end);
  const [known] = search.findValues(secret);
  const meant = known !== undefined && known.start === 0 && known.end === secret.length ? known.secret : secret;
  return put(text, [{ start, end, secret: meant }], search.placeholders);
}

function append(spans: SecretSpan[], more: readonly SecretSpan[]): void {
  for (const span of more) spans.push(span);
}

function ask({ name, find }: SecretDetector, text: string): readonly SecretSpan[] {
  try {
    return Array.from(find(text), ({ start, end }) => {
      if (
        !Number.isSafeInteger(start) ||
        !Number.isSafeInteger(end) ||
        start < 0 ||
        end > text.length ||
        start >= end
      ) {
        throw new TypeError(`it answered ${String(start)} to ${String(end)}, which is no part of the text`);
      }
      return { start, end, secret: text.slice(start, end) };
    });
  } catch (error) {
    throw partFailure(`detector ${JSON.stringify(name)}`, error);
  }
}

function put(text: string, spans: readonly SecretSpan[], placeholders: Placeholders): string {
  if (spans.length === 0) return text;
  const own = placeholders.findOwn(text);
  const parts: string[] = [];
  let done = 0;
  let nextOwn = 0;
  for (const { start, end, secret, quote = "" } of merge(spans)) {
    while ((own[nextOwn]?.end ?? Infinity) <= start) nextOwn += 1;
    const made = own[nextOwn];
    if (made !== undefined && made.start <= start && end <= made.end) continue;
    parts.push(text.slice(done, start), quote, placeholders.of(secret), quote);
    done = end;
  }
  if (done === 0) return text;
  parts.push(text.slice(done));
  return parts.join("");
}

/**
 * Those that overlap become one, by the name of the longest; of two as long, of the first that was
 * found.
 */
function merge(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start);
  const merged: SecretSpan[] = [];
  let longest = 0;
  for (const span of sorted) {
    const last = merged.at(-1);
    const length = span.end - span.start;
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      longest = length;
      continue;
    }
    const best = length > longest ? span : last;
    longest = Math.max(longest, length);
    merged[merged.length - 1] = { ...best, start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}
