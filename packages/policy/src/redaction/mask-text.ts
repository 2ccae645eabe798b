import type { CallContext } from "@hostside/core";
import { clock, findKnownShapes, runSoon, type createSecretFinder } from "@hostside/core/implement";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { findPairs, leadOf, type PairSpan } from "./find-pairs.ts";
import type { SecretKeys } from "./secret-keys.ts";

type SecretSpan = ReturnType<typeof findKnownShapes>[number];
type SecretFinder = ReturnType<typeof createSecretFinder>;

/** The search of one result, and what takes the place of secrets. */
export interface Search {
  readonly keys: SecretKeys;
  readonly findValues: SecretFinder;
  readonly placeholders: Placeholders;
  /** Collects texts that take too long to be masked at once. Default: none. */
  readonly later?: LaterTexts | undefined;
}

/**
 * The texts of one result that together are too long to be masked at once. The result is gone
 * through, they are masked in turns, and the result is gone through again.
 */
export interface LaterTexts {
  /**
   * Returns a text with its secrets masked; the text itself while it waits; `undefined`: mask it at
   * once.
   */
  take(what: LaterKind, text: string): string | undefined;
  /** Masks what waits. `false`: nothing does. */
  mask(search: Search): Promise<boolean>;
}

/** For what a text is searched: `values` are those that the host knows. */
type LaterKind = "text" | "values";

// So much takes some milliseconds.
const mostAtOnce = 32_768;
const turnMs = 2;

/** An empty set. */
export function createLaterTexts(): LaterTexts {
  const masked = { text: new Map<string, string>(), values: new Map<string, string>() };
  const waiting = { text: new Set<string>(), values: new Set<string>() };
  let left = mostAtOnce;
  return {
    take(what, text) {
      const known = masked[what].get(text);
      if (known !== undefined) return known;
      left -= text.length;
      if (left >= 0) return undefined;
      waiting[what].add(text);
      return text;
    },
    async mask(search) {
      left = mostAtOnce;
      if (waiting.text.size + waiting.values.size === 0) return false;
      let since = clock.now();
      const pause = async (): Promise<void> => {
        if (clock.now() - since < turnMs) return;
        await new Promise<void>((resolve) => runSoon(resolve));
        since = clock.now();
      };
      for (const what of ["text", "values"] as const) {
        for (const text of waiting[what]) {
          masked[what].set(text, await maskInTurns(text, (part) => findSpans(part, search, what), { search, pause }));
          waiting[what].delete(text);
        }
      }
      return true;
    },
  };
}

/** The text without its secrets; the very same when there are none. Linear in its length. */
export function maskText(text: string, search: Search): string {
  return search.later?.take("text", text) ?? put(text, findSpans(text, search, "text"), search.placeholders);
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

function findSpans(text: string, search: Search, what: LaterKind): readonly PairSpan[] {
  const values = search.findValues(text);
  if (what === "values") return values;
  return [...values, ...findKnownShapes(text), ...findPairs(text, search.keys)];
}

// A part of any text takes some milliseconds. A secret of 4,096 characters has six times as many
// where each is escaped.
const partLength = 16_384;
const lengthBefore = 1024;
const lengthBehind = 24_576;

/**
 * Masks a text part by part, with a pause behind each. A part is searched together with what stands
 * around it. A value or a private key that is longer than that goes to the end of the text.
 */
async function maskInTurns(
  text: string,
  find: (part: string) => readonly PairSpan[],
  { search, pause }: { readonly search: Search; readonly pause: () => Promise<void> },
): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const from = Math.max(0, at - lengthBefore);
    const end = Math.min(text.length, at + partLength + lengthBehind);
    const to = Math.min(text.length, at + partLength);
    const spans = find(text.slice(from, end)).map((span) => toWhole(span, { from, end, text }));
    const merged = merge(spans.filter((span) => span.end > at));
    const cut = merged.find((span) => span.start < to && span.end > to)?.end ?? to;
    const within = merged.filter((span) => span.start < cut);
    parts.push(putIn(text, { from: at, to: cut, spans: within }, search.placeholders));
    at = cut;
    await pause();
  }
  return parts.join("");
}

// A span that ends where the part was cut goes on behind it.
function toWhole(
  { start, end, isOpen, ...span }: PairSpan,
  { from, end: cutAt, text }: { readonly from: number; readonly end: number; readonly text: string },
): SecretSpan {
  if (from + end < cutAt || cutAt === text.length) return { ...span, start: from + start, end: from + end };
  const rest = /[^\s"'`<>]*/y;
  rest.lastIndex = cutAt;
  const isLong = isOpen === true || span.secret.startsWith("-----BEGIN");
  const wholeEnd = isLong ? text.length : cutAt + (rest.exec(text)?.[0].length ?? 0);
  const secret = wholeEnd > cutAt ? text.slice(from + start, wholeEnd) : span.secret;
  return { ...span, secret, start: from + start, end: wholeEnd };
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
 * Merges spans that overlap into one, by the name of the longest; of two as long, of the first that
 * was found.
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

/** Placeholders of secrets, for one conversation. Made anew for each result. */
export interface Placeholders {
  /**
   * `[secret:1f8a03c2d4e5b07a]`: the same for the same secret. `[secret]` once there were more
   * secrets than are told apart.
   */
  readonly of: (secret: string) => string;
  /**
   * Finds placeholders in a text that were made here: what a model sent along and a server echoes.
   */
  readonly findOwn: (text: string) => readonly { readonly start: number; readonly end: number }[];
  /** How many secrets were replaced. */
  readonly count: () => number;
}

const anonymous = "[secret]";
const written = /\[secret(?::([0-9a-f]{12})([0-9a-f]{4}))?\]/g;
// A hash takes microseconds, and a text of ten megabytes can name a million secrets.
const mostHashes = 4096;
const longestHashed = 65_536;

/**
 * Makes placeholders by a keyed hash, so that nobody without the key can tell whether a guess is
 * right. Twelve digits tell secrets apart; four more, a keyed hash of the twelve, tell a
 * placeholder of this conversation from one that a server made up to have a secret of its choice
 * pass for one.
 */
export function createPlaceholders(key: Uint8Array): (context: CallContext | undefined) => Placeholders {
  return ({ principal, conversation } = {}) => {
    // The same name under another principal is another conversation.
    const scope = JSON.stringify([principal ?? null, conversation ?? null]);
    let hash: ((text: string) => string) | undefined;
    const hashOf = (text: string): string => {
      if (hash === undefined) {
        const mac = hmac.create(sha256, hmac(sha256, key, utf8ToBytes(`hostside-redaction\n${scope}`)));
        hash = (message) => bytesToHex(mac.clone().update(utf8ToBytes(message)).digest());
      }
      return hash(text);
    };
    return forConversation(hashOf);
  };
}

function forConversation(hashOf: (text: string) => string): Placeholders {
  const made = new Map<string, string>();
  const checks = new Map<string, string>();
  const checkOf = (id: string): string | undefined => {
    const known = checks.get(id);
    if (known !== undefined || checks.size >= 2 * mostHashes) return known;
    const check = hashOf(`check\n${id}`).slice(0, 4);
    checks.set(id, check);
    return check;
  };
  let count = 0;
  return {
    of(secret) {
      const known = made.get(secret);
      if (known !== undefined) return known;
      count += 1;
      if (made.size >= mostHashes || secret.length > longestHashed) return anonymous;
      const id = hashOf(`secret\n${secret}`).slice(0, 12);
      const placeholder = `[secret:${id}${checkOf(id) ?? "0000"}]`;
      made.set(secret, placeholder);
      return placeholder;
    },
    findOwn(text) {
      if (!text.includes("[secret")) return [];
      return Array.from(text.matchAll(written)).flatMap(({ 0: match, 1: id, 2: check, index }) =>
        id === undefined || checkOf(id) === check ? [{ start: index, end: index + match.length }] : [],
      );
    },
    count: () => count,
  };
}
