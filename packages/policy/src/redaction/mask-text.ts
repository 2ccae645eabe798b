import { findKnownShapes, findPrivateKeys, type SecretFinder, type SecretSpan } from "@hostside/core/implement";
import { createPairReader, findPairs, leadOf } from "./find-pairs.ts";
import type { LaterKind, LaterTexts } from "./later-texts.ts";
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
  /** Where texts are left that take too long to be masked at once. Default: none is. */
  readonly later?: LaterTexts | undefined;
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
  return search.later?.take("text", text) ?? maskNow(text, search);
}

function maskNow(text: string, search: Search): string {
  const spans: SecretSpan[] = [];
  append(spans, search.findValues(text));
  if (search.knownShapes) append(spans, findKnownShapes(text));
  append(spans, findPairs(text, search.keys));
  for (const detector of search.detectors) append(spans, ask(detector, text));
  return put(text, spans, search.placeholders);
}

/**
 * The same part by part, with a pause behind each. A part is searched together with what stands
 * around it, so that it does not matter where it ends.
 */
export async function maskInTurns(
  text: string,
  search: Search,
  { what, pause }: { readonly what: LaterKind; readonly pause: () => Promise<void> | undefined },
): Promise<string> {
  const isText = what === "text";
  const pairs = isText ? createPairReader(text, search.keys) : undefined;
  const whole: SecretSpan[] = [];
  if (isText && search.knownShapes) append(whole, findPrivateKeys(text));
  for (const detector of isText ? search.detectors : []) append(whole, ask(detector, text));
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const from = Math.max(0, at - lengthBefore);
    const end = Math.min(text.length, at + partLength + lengthBehind);
    const piece = text.slice(from, end);
    const found = [...search.findValues(piece), ...(isText && search.knownShapes ? findKnownShapes(piece) : [])];
    const spans = found.map((span) => toWhole(span, { from, end, text }));
    const to = Math.min(text.length, at + partLength);
    pairs?.readTo(to);
    for (const span of whole) if (span.end > at && span.start < end) spans.push(span);
    for (const span of pairs?.take(at, to) ?? []) spans.push(span);
    const merged = merge(spans.filter((span) => span.end > at));
    const cut = merged.find((span) => span.start < to && span.end > to)?.end ?? to;
    parts.push(
      putIn(text, { from: at, to: cut, spans: merged.filter((span) => span.start < cut) }, search.placeholders),
    );
    at = cut;
    await pause();
  }
  return parts.join("");
}

// A part of any text takes some milliseconds. A secret of 4,096 characters has six times as many
// where each is escaped.
const partLength = 16_384;
const lengthBefore = 1024;
const lengthBehind = 24_576;

/** A span of a piece as one of the whole text, to its end where the piece cut it off. */
function toWhole(
  { start, end, ...span }: SecretSpan,
  { from, end: cutAt, text }: { readonly from: number; readonly end: number; readonly text: string },
): SecretSpan {
  if (from + end < cutAt) return { ...span, start: from + start, end: from + end };
  const rest = /[\w+/=.~%\\-]*/y;
  rest.lastIndex = cutAt;
  const wholeEnd = cutAt + (rest.exec(text)?.[0].length ?? 0);
  const secret = wholeEnd > cutAt ? text.slice(from + start, wholeEnd) : span.secret;
  return { ...span, secret, start: from + start, end: wholeEnd };
}

/**
 * The same for what is not read by people, such as the bytes of a picture: only the values that the
 * host knows.
 */
export function maskValuesAlone(text: string, { findValues, placeholders, later }: Search): string {
  return later?.take("values", text) ?? put(text, findValues(text), placeholders);
}

/** A text that is a secret as a whole, but for blanks around it and the scheme in front of it. */
export function maskWhole(text: string, search: Search): string {
  const start = leadOf(text);
  const end = text.trimEnd().length;
  if (start >= end) return maskText(text, search);
  const secret = text.slice(start, end);
  if (secret.length > partLength) return put(text, [{ start, end, secret }], search.placeholders);
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
  return spans.length === 0 ? text : putIn(text, { from: 0, to: text.length, spans: merge(spans) }, placeholders);
}

/** A part of a text with spans, in order, that end in it. */
interface TextPart {
  readonly from: number;
  readonly to: number;
  readonly spans: readonly SecretSpan[];
}

function putIn(text: string, { from, to, spans }: TextPart, placeholders: Placeholders): string {
  const part = text.slice(from, to);
  if (spans.length === 0) return part;
  const own = placeholders.findOwn(part).map((span) => ({ start: span.start + from, end: span.end + from }));
  const parts: string[] = [];
  let done = from;
  let nextOwn = 0;
  for (const { start, end, secret, quote = "" } of spans) {
    while ((own[nextOwn]?.end ?? Infinity) <= start) nextOwn += 1;
    const made = own[nextOwn];
    if (made !== undefined && made.start <= start && end <= made.end) continue;
    parts.push(text.slice(done, start), quote, placeholders.of(secret), quote);
    done = end;
  }
  if (done === from) return part;
  parts.push(text.slice(done, to));
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
