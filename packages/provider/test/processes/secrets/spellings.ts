import * as fc from "fast-check";

const hex = (code: number): string => code.toString(16).padStart(2, "0");
const percent = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${hex(byte).toUpperCase()}`).join("");
const each = (text: string, write: (character: string) => string): string => Array.from(text, write).join("");
const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

const spell: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify({ secret }),
  (secret) => JSON.stringify(JSON.stringify({ secret })),
  (secret) => JSON.stringify({ secret }).replaceAll("/", String.raw`\/`),
  (secret) => each(secret, (character) => `\\u${codeOf(character).toString(16).padStart(4, "0")}`),
  (secret) =>
    each(secret, (character) => (/\w/.test(character) ? character : `\\u00${hex(codeOf(character)).toUpperCase()}`)),
  (secret) => encodeURIComponent(secret),
  (secret) => encodeURI(secret),
  (secret) => percent(secret).toLowerCase(),
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  (secret) => new URLSearchParams({ secret }).toString(),
  (secret) => each(secret, (character) => `&#${codeOf(character)};`),
  (secret) => each(secret, (character) => `&#x${hex(codeOf(character))};`),
  (secret) =>
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
  (secret) => btoa(secret),
  (secret) => btoa(`user:${secret}`),
  (secret) => `Basic ${btoa(`a-client:${secret}`)}`,
  (secret) => Buffer.from(`x=${secret}&y=1`).toString("base64url"),
];

/** A way in which a server may write a secret. */
export const spellings: fc.Arbitrary<(secret: string) => string> = fc.constantFrom(...spell);

// What tokens, passwords and keys are made of, and what headers can carry.
const characters = Array.from("abcdefXYZ0123456789-_.~+/=&<>\"'%:; #");

/** A secret as products have them. */
export const secrets: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...characters.slice(0, 23)), { minLength: 6, maxLength: 20 }),
    fc.array(fc.constantFrom(...characters), { maxLength: 12 }),
    fc.nat(),
  )
  .map(([start, rest, number]) => `s${start.join("")}${rest.join("")}Z${number}`.replaceAll(/\s+/g, "-"));

/**
 * The text and what it says when it is read, several times over: where a secret could stand.
 * Written without our own decoder.
 */
export function readingsOf(text: string): string {
  const readings = [text];
  let reading = text;
  for (let depth = 0; depth < 3; depth += 1) {
    readings.push(fromBase64(reading));
    reading = readers.reduce((read, next) => next(read), reading);
    readings.push(reading);
  }
  return readings.join("\n");
}

const readers: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => attempt(() => decodeURIComponent(run), run)),
  (text) => text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  (text) => text.replaceAll(/\\(["\\/])/g, "$1"),
  (text) => text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
  (text) => text.replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  (text) => text.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
];

function fromBase64(text: string): string {
  return Array.from(text.matchAll(/[\w+/-]{8,}/g), ([run]) => Buffer.from(run, "base64").toString()).join(" ");
}

function attempt(read: () => string, otherwise: string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
