import type { JsonObject, JsonValue, ServerSpec } from "@hostside/core";
import {
  createSecretFinder,
  findKnownShapes,
  isCredentialHeader,
  isJsonObject,
  secretsOf,
} from "@hostside/core/implement";

type SecretFinder = ReturnType<typeof createSecretFinder>;

/**
 * Puts placeholders in the place of secrets: the same for the same secret, in the order in which
 * they came up.
 */
export interface Mask {
  readonly text: (text: string) => string;
  /**
   * In each text, number and name of a member; and the values of members that are secret by their
   * name.
   */
  readonly data: (value: JsonValue) => JsonValue;
  /**
   * The values of headers that carry credentials or the id of a session, and secrets in all others.
   */
  readonly headers: (
    headers: Iterable<readonly [string, string]>,
    wanted: (name: string) => boolean,
  ) => Record<string, string>;
  /** A placeholder for the whole of a value, however short it is. */
  readonly whole: (value: string, kind?: MaskKind) => string;
  /** Has a value masked from now on, wherever it stands. */
  readonly learn: (value: string, kind?: MaskKind) => void;
  readonly learnSpec: (spec: ServerSpec) => void;
  /** How many placeholders were given out. */
  readonly size: number;
}

/** What a placeholder stands for. */
export type MaskKind = "secret" | "session";

// A setting of the name `key` is too common to be masked.
const secretMember =
  /(?:password|passwd|passphrase|secret|api[-_]?key|private[-_]?key|(?:access|refresh|auth|bearer|id|session)[-_]?token|authorization|credentials?)$/i;
// As the last word of a name. Of tokens, those by which a list is read on are none.
const secretWord = /(?:^|_)(?:token|otp|pin|pass|passcode|pwd|auth|signature|sig|jwt|cookie)s?$/;
const placeToken = /(?:progress|page|next|continuation|cursor|delta|resume|skip|sync)_tokens?$/;
const mostLearned = 10_000;
const longestSessionId = 200;

/** Makes a mask. `redact` comes last: what a product masks besides. */
export function createMask(secrets: readonly string[], redact?: (text: string) => string): Mask {
  const kinds = new Map<string, MaskKind>(secrets.map((secret) => [secret, "secret"]));
  const numbers = new Map<string, number>();
  const counts = { secret: 0, session: 0 };
  let finder: SecretFinder | undefined;

  const whole = (value: string, kind: MaskKind = kinds.get(value) ?? "secret"): string => {
    const key = `${kind}:${value}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = counts[kind] += 1;
      numbers.set(key, number);
    }
    return `[${kind}:${number}]`;
  };
  const learn = (value: string, kind: MaskKind = "secret"): void => {
    if (kinds.has(value) || kinds.size >= mostLearned) return;
    kinds.set(value, kind);
    finder = undefined;
  };
  const text = (given: string): string => {
    finder ??= createSecretFinder([...kinds.keys()]);
    const known = replaceSpans(given, finder(given), whole);
    const shaped = replaceSpans(known, findKnownShapes(known), whole);
    return redact === undefined ? shaped : redact(shaped);
  };
  const data = (value: JsonValue): JsonValue => {
    learnMembers(value, learn);
    return maskData(value, { text, whole });
  };
  return {
    text,
    data,
    whole,
    learn,
    learnSpec: (spec) => secretsOf(spec).forEach((secret) => learn(secret)),
    headers(headers, wanted) {
      const kept: Record<string, string> = Object.create(null);
      for (const [name, value] of headers) {
        if (name === "mcp-session-id") learn(value, "session");
        else if (isCredentialHeader(name) || name === "set-cookie") learnCredential(value, learn);
        if (wanted(name)) kept[name] = name === "mcp-session-id" ? sessionId(value, whole) : text(value);
      }
      return kept;
    },
    get size() {
      return numbers.size;
    },
  };
}

// An id that is none, or too long to be one, is a fault that stays.
function sessionId(value: string, whole: Mask["whole"]): string {
  if (value === "") return value;
  const id = whole(value, "session");
  return value.length > longestSessionId ? id.padEnd(value.length, "~") : id;
}

// `Bearer abc` is echoed as a whole or as `abc` alone.
function learnCredential(value: string, learn: (secret: string) => void): void {
  learn(value);
  const [, credential] = /^\S+\s+(\S.*)$/s.exec(value) ?? [];
  if (credential !== undefined) learn(credential);
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly secret: string;
}

function replaceSpans(text: string, spans: readonly Span[], whole: (secret: string) => string): string {
  if (spans.length === 0) return text;
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, secret } of sorted) {
    if (start < at) continue;
    parts.push(text.slice(at, start), whole(secret));
    at = end;
  }
  return parts.join("") + text.slice(at);
}

// What has such a name is a secret wherever else it stands, unless it is a word that may stand
// anywhere.
function learnMembers(value: JsonValue | undefined, learn: (secret: string) => void): void {
  if (Array.isArray(value)) return value.forEach((item: JsonValue) => learnMembers(item, learn));
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value))
    if (typeof member !== "string") learnMembers(member, learn);
    else if (isSecretMember(name) && member.length >= 8 && /\d|[^\w\s-]/.test(member)) learn(member);
}

function maskData(value: JsonValue, mask: Pick<Mask, "text" | "whole">): JsonValue {
  if (typeof value === "string") return mask.text(value);
  if (typeof value === "number") {
    const written = String(value);
    const masked = mask.text(written);
    return masked === written ? value : masked;
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskData(item, mask));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member = null]) => {
    const isSecret =
      (typeof member === "string" || typeof member === "number") && member !== "" && isSecretMember(name);
    return [mask.text(name), isSecret ? mask.whole(String(member)) : maskData(member, mask)];
  });
  return Object.fromEntries(members) as JsonObject;
}

function isSecretMember(name: string): boolean {
  if (secretMember.test(name)) return true;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z\d]+/g, "_")
    .toLowerCase();
  return secretWord.test(words) && !placeToken.test(words);
}
