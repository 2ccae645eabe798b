import {
  dropBackslashes,
  dropHidden,
  joinBase64Lines,
  unescapeMarkup,
  unescapeText,
  type UnescapedText,
} from "./unescape-text.ts";

const ending =
  /(?:token|secret|password|passwd|pwd|passphrase|credentials?|authorization|auth|bearer|cookie|header|key|pat|assertion|verifier)s?$/i;

/**
 * Whether a flag, variable, header or parameter of this name has a secret as its value:
 * `--api-key`, `GITHUB_TOKEN`, `Authorization`.
 */
export function isSecretName(name: string): boolean {
  return ending.test(name);
}

/** Stands in for a secret in any text. */
export const redacted = "[redacted]";

/** Replaces every secret it knows in a text. */
export type Redactor = (text: string) => string;

/** Secrets of fewer UTF-16 units than these stand in everything, and are never looked for. */
export const shortestSecret = 6;
// A secret of more than this is a document; its first and last part are told from anything else as
// well.
const longestSecret = 4096;
// JSON in JSON in a form is three.
const mostLayers = 4;
const base64Character = /[\w+/-]/;

/** A text by which a secret is told. */
export interface Trait {
  readonly text: string;
  /** It is a piece of Base64: what stands around it is part of the same. */
  readonly isBase64: boolean;
  /** The number of its secret, from 1. The larger of two that are found in one place counts. */
  readonly owner: number;
}

/** By what a secret is told in any text. None for one that is too short. */
export function traitsOf(secret: string, owner: number): readonly Trait[] {
  const whole = secret.trim();
  const pieces = whole.length > longestSecret ? [whole.slice(0, longestSecret), whole.slice(-longestSecret)] : [whole];
  // Logs are read line by line.
  const lines = whole.includes("\n") ? whole.split("\n").map((line) => line.trim()) : [];
  const texts = [...pieces, ...lines].filter((text) => text.length >= shortestSecret);
  const echoes = pieces.filter((text) => text.length >= shortestSecret).flatMap(base64Echoes);
  return [
    ...withPlainForms(texts).map((text) => ({ text, isBase64: false, owner })),
    ...withPlainForms(echoes).map((text) => ({ text, isBase64: true, owner })),
  ];
}

// A secret that itself looks escaped is not the same any more when a text around it has been
// unescaped.
function withPlainForms(texts: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const text of texts.flatMap((each) => (each.includes("\\") ? [each, each.replaceAll("\\", "")] : [each]))) {
    let form: string | undefined = text;
    for (let layer = 0; form !== undefined && form.length >= shortestSecret && layer <= mostLayers; layer += 1) {
      forms.add(form);
      form = unescapeText(form)?.text;
    }
  }
  return [...forms];
}

/**
 * The traits to look for in a text, and the secret that each of its UTF-16 units belongs to; made
 * when the first is found.
 */
interface Findings {
  readonly traits: readonly Trait[];
  owners: Uint32Array | undefined;
}

/**
 * The number of the secret that each UTF-16 unit of a text belongs to, 0 for none; `undefined` when
 * there is none in it.
 */
export function findTraits(text: string, traits: readonly Trait[]): Uint32Array | undefined {
  if (traits.length === 0 || text.length < shortestSecret) return undefined;
  const findings: Findings = { traits, owners: undefined };
  findBelow(text, unescapeText, findings);
  // A secret may hold backslashes, or what looks like an escape: to undo every kind of escape at
  // once can leave too little to tell it by.
  if (text.includes("\\")) findBelow(text, unescapeMarkup, findings);
  return findings.owners;
}

/**
 * Looks for secrets in a text, and in what is left of it when layer after layer of escapes is
 * undone.
 */
function findBelow(source: string, undo: (text: string) => UnescapedText | undefined, findings: Findings): void {
  let text = source;
  let toSource = (index: number): number => index;
  for (let depth = 0; ; depth += 1) {
    const outer = toSource;
    find({ text, toSource: outer, source }, findings);
    for (const other of [dropBackslashes(text), joinBase64Lines(text), dropHidden(text)]) {
      if (other === undefined) continue;
      find({ text: other.text, toSource: (index) => outer(other.boundaryAt(index)), source }, findings);
    }
    const plain = depth < mostLayers ? undo(text) : undefined;
    if (plain === undefined) return;
    toSource = (index) => outer(plain.boundaryAt(index));
    text = plain.text;
  }
}

interface Layer {
  readonly text: string;
  readonly toSource: (index: number) => number;
  readonly source: string;
}

function find({ text, toSource, source }: Layer, findings: Findings): void {
  for (const trait of findings.traits) {
    const { length } = trait.text;
    for (let at = text.indexOf(trait.text); at !== -1; at = text.indexOf(trait.text, at + length)) {
      let [start, end] = [at, at + length];
      if (trait.isBase64) {
        while (start > 0 && base64Character.test(text.charAt(start - 1))) start -= 1;
        while (end < text.length && base64Character.test(text.charAt(end))) end += 1;
        while (text[end] === "=") end += 1;
      }
      findings.owners ??= new Uint32Array(source.length);
      own(findings.owners.subarray(toSource(start), toSource(end)), trait.owner);
      if (trait.isBase64) at = end - length;
    }
  }
}

function own(owners: Uint32Array, owner: number): void {
  for (let at = 0; at < owners.length; at += 1) if ((owners[at] ?? 0) < owner) owners[at] = owner;
}

/** A piece of a text that is a secret. */
export interface SecretSpan {
  readonly start: number;
  /** The first UTF-16 unit behind it. */
  readonly end: number;
  /** Its meaning, without the escapes of the text around it: the same for the same secret. */
  readonly secret: string;
  /** The text before and after the placeholder: quotation marks where a number of JSON was. */
  readonly quote?: string | undefined;
}

/** Looks for secrets in a text; what it finds is in the order of the text and does not overlap. */
/**
 * Looks for secrets in every spelling that a redactor masks, and says which one is where, for those
 * who put something else in its place than `[redacted]`. The longer of two that overlap counts.
 * Secrets of less than six UTF-16 units are not looked for. Linear in the length of the text, times
 * the number of secrets.
 */
export function createSecretFinder(secrets: readonly string[]): (text: string) => readonly SecretSpan[] {
  const sorted = [...new Set(secrets)].sort((a, b) => a.length - b.length);
  const traits = sorted.flatMap((secret, index) => traitsOf(secret, index + 1));
  return (text) => {
    const owners = findTraits(text, traits);
    return owners === undefined ? [] : stretchesOf(owners, sorted);
  };
}

function stretchesOf(owners: Uint32Array, secrets: readonly string[]): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  for (let start = 0; start < owners.length;) {
    const owner = owners[start] ?? 0;
    let end = start + 1;
    while (end < owners.length && owners[end] === owner) end += 1;
    const secret = secrets[owner - 1];
    if (secret !== undefined) found.push({ start, end, secret });
    start = end;
  }
  return found;
}

// Every alternative begins with letters of its own and fails within a bounded number of steps, or
// takes the whole run: linear.
const boundary = "(?<=^|[^A-Za-z0-9]|%[\\dA-Fa-f]{2}|\\\\[nrt])";
const tokens = new RegExp(
  [
    `${boundary}(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])`,
    "gh[pousr]_[A-Za-z0-9]{36,}",
    "github_pat_[A-Za-z0-9_]{40,}",
    "gl(?:pat|dt|rt|cbt|ptt|soat)-[\\w-]{20,}",
    "xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}",
    "xapp-[A-Za-z0-9-]{10,}",
    "AIza[\\w-]{35}(?![\\w-])",
    "(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}",
    "whsec_[A-Za-z0-9+/]{24,}",
    `${boundary}sk-(?:[A-Za-z0-9]{32,}|(?:proj|svcacct|admin|ant|or)-[\\w-]{20,})`,
    "npm_[A-Za-z0-9]{36,}",
    "pypi-[\\w-]{50,}",
    "hf_[A-Za-z0-9]{30,}",
    "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}",
    "dop_v1_[a-f0-9]{64}",
  ].join("|"),
  "g",
);
// One start for each run of its characters, so that no run is read twice.
const webTokens = /(?<=^|[^\w-]|%[\da-f]{2}|\\[nrt])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/gi;
const bearers = /(?<=\bbearer\s{1,4})(?=\S*\d)[\w.~+/-]{16,}={0,2}(?![\w.~+/="-])/gi;
const basics = /(?<=\bbasic\s{1,4})(?:(?=\S*\d)[A-Za-z0-9+/]{12,}={0,2}|[A-Za-z0-9+/]{6,}={1,2})(?![\w+/="-])/gi;
const userInfos = /(?<=:\/\/[^\s/:@"'<>]{0,128}:)[^\s/@:"'<>]{1,512}(?=@)/g;

/** Finds what tells by its look that it is a secret. Linear in the length of the text. */
export function findKnownShapes(text: string): readonly SecretSpan[] {
  if (text.length < 16) return [];
  const found: SecretSpan[] = [];
  collect(text, tokens, found);
  if (text.includes("eyJ")) collect(text, webTokens, found);
  if (/bearer\s/i.test(text)) collect(text, bearers, found);
  if (/basic\s/i.test(text)) collect(text, basics, found);
  if (text.includes("://") && text.includes("@")) collect(text, userInfos, found);
  if (text.includes("PRIVATE KEY")) collectPrivateKeys(text, found);
  return found;
}

// By `exec`: `matchAll` makes another expression for each text, which costs more than looking
// through a short one.
function collect(text: string, pattern: RegExp, found: SecretSpan[]): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push({ start: match.index, end: pattern.lastIndex, secret: match[0] });
  }
}

const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

// From its first line to its last; one whose last line is missing goes to the end of the text.
function collectPrivateKeys(text: string, found: SecretSpan[]): void {
  keyBegins.lastIndex = 0;
  for (let begin = keyBegins.exec(text); begin !== null; begin = keyBegins.exec(text)) {
    keyEnds.lastIndex = keyBegins.lastIndex;
    const end = keyEnds.exec(text) === null ? text.length : keyEnds.lastIndex;
    const secret = text.slice(begin.index, end).replaceAll(/\\+[nrt]|\s+/g, "");
    found.push({ start: begin.index, end, secret });
    keyBegins.lastIndex = end;
  }
}

const encoder = new TextEncoder();

// Fewer characters than this stand in too many texts by chance.
const shortestEcho = 7;

/**
 * Finds the part of a secret that shows in the Base64 of any text that contains it, such as the
 * `user:secret` of HTTP's Basic scheme: the characters that depend on nothing else, for each of the
 * three ways in which the secret may fall into groups of three bytes, in both alphabets.
 */
function base64Echoes(secret: string): readonly string[] {
  const bytes = encoder.encode(secret);
  const echoes = [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const first = Math.ceil((offset * 8) / 6);
    const end = Math.floor((padded.length * 8) / 6);
    const echo = btoa(String.fromCharCode(...padded)).slice(first, end);
    return [echo, echo.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return echoes.filter((echo) => echo.length >= shortestEcho);
}

/** The text that Base64 of either alphabet stands for; `undefined` when it is none, or no text. */
export function fromBase64(text: string): string | undefined {
  if (!/^[\w+/-]{4,}={0,2}$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
