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

/** A text with one layer of escapes undone, and the way back to where each part of it stood. */
interface UnescapedText {
  readonly text: string;
  /** The place in the escaped text of the boundary before the UTF-16 unit `index`. */
  readonly boundaryAt: (index: number) => number;
}

// What programs write instead of a character: JSON and most languages (`\u0041`, `\x41`, `\101`,
// `\n`), percent encoding and its old `%u0041`, a form's `+`, HTML's `&#65;`, `&#x41;` and names.
// Any other backslash is dropped, so that it does not matter whether one was doubled. Each
// alternative but the run of bytes is of bounded length, and that run is taken as a whole, so that
// matching is linear.
const markup = /%u[0-9a-f]{4}|(?:%[0-9a-f]{2})+|&#(?:x0{0,6}[0-9a-f]{1,6}|0{0,6}[0-9]{1,7});?|&[a-z]{2,18};|\+/gi;
const backslashes = /\\(?:u\{0{0,4}[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[0-3]?[0-7]{2}|[bfnrtv0])?/;
const escapes = new RegExp(`${backslashes.source}|${markup.source}`, "gi");

const afterBackslash: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  0: "\0",
};

// The names of printable ASCII; secrets of other characters have numbers.
const entities: ReadonlyMap<string, string> = new Map(
  (
    'quot:" QUOT:" amp:& AMP:& apos:\' lt:< LT:< gt:> GT:> excl:! num:# dollar:$ percnt:% lpar:( rpar:) ast:* midast:* plus:+ ' +
    "comma:, period:. sol:/ colon:: semi:; equals:= quest:? commat:@ lsqb:[ lbrack:[ bsol:\\ rsqb:] rbrack:] Hat:^ lowbar:_ " +
    "UnderBar:_ grave:` DiacriticalGrave:` lcub:{ lbrace:{ verbar:| vert:| VerticalLine:| rcub:} rbrace:}"
  )
    .split(" ")
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf(":")), pair.slice(pair.indexOf(":") + 1)])
    .concat([
      ["Tab", "\t"],
      ["NewLine", "\n"],
      ["nbsp", " "],
    ]),
);

/**
 * Undoes one layer of escapes of any kind; `undefined` when there are none. Linear in the length of
 * the text.
 */
export function unescapeText(text: string): UnescapedText | undefined {
  return rewrite(text, escapes, charactersOf);
}

/** The same, but that backslashes and what follows them stay as they are. */
function unescapeMarkup(text: string): UnescapedText | undefined {
  return rewrite(text, markup, charactersOf);
}

/**
 * Drops every backslash and leaves all else as it is; `undefined` when there are none. Linear in
 * the length of the text.
 */
function dropBackslashes(text: string): UnescapedText | undefined {
  return text.includes("\\") ? rewrite(text, /\\+/g, () => []) : undefined;
}

const hidden = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]+/gu;
const low = /^[\0-\u00AC]*$/;

/** Drops every character that nobody sees; `undefined` when there are none. Linear, too. */
function dropHidden(text: string): UnescapedText | undefined {
  return low.test(text) ? undefined : rewrite(text, hidden, () => []);
}

// Lines of Base64 have 64 or 76 characters.
const folds = /(?<=[\w+/]{60})\r?\n[ \t]*(?=[\w+/=-])/g;

/** Joins lines of Base64; `undefined` when there are none. Linear, too. */
function joinBase64Lines(text: string): UnescapedText | undefined {
  return text.includes("\n") ? rewrite(text, folds, () => []) : undefined;
}

function rewrite(
  text: string,
  pattern: RegExp,
  read: (match: string) => Characters | undefined,
): UnescapedText | undefined {
  const parts: string[] = [];
  // Where in the new text a stretch begins that was copied or made, and where it comes from.
  const made: number[] = [];
  const taken: number[] = [];
  let length = 0;
  let end = 0;
  const put = (part: string, from: number): void => {
    made.push(length);
    taken.push(from);
    parts.push(part);
    length += part.length;
  };
  for (const { 0: escape, index } of text.matchAll(pattern)) {
    const characters = read(escape);
    if (characters === undefined) continue;
    if (index > end) put(text.slice(end, index), end);
    let at = index;
    for (const [character, width] of characters) {
      put(character, at);
      at += width;
    }
    end = index + escape.length;
  }
  if (end === 0) return undefined;
  put(text.slice(end), end);
  return {
    text: parts.join(""),
    boundaryAt(index) {
      const stretch = lastAtMost(made, index);
      const from = (taken[stretch] ?? 0) + index - (made[stretch] ?? 0);
      // Between the halves of a pair there is no place in an escape.
      return Math.min(from, taken[stretch + 1] ?? text.length);
    },
  };
}

type Characters = readonly (readonly [character: string, width: number])[];

function charactersOf(escape: string): Characters | undefined {
  return escape.startsWith("%") && escape[1] !== "u" ? bytesOf(escape) : meaningOf(escape);
}

function meaningOf(escape: string): Characters | undefined {
  const meaning = characterOf(escape);
  return meaning === undefined ? undefined : [[meaning, escape.length]];
}

function characterOf(escape: string): string | undefined {
  const [first = "", second = ""] = escape;
  if (first === "+") return " ";
  if (first === "%") return fromCode(Number.parseInt(escape.slice(2), 16));
  if (first === "&") {
    const [, hex, decimal] = /^&#(?:x([0-9a-f]+)|([0-9]+))/i.exec(escape) ?? [];
    if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
    return decimal === undefined ? entities.get(escape.slice(1, -1)) : fromCode(Number.parseInt(decimal, 10));
  }
  if (/[ux]/i.test(second) && escape.length > 2) return fromCode(Number.parseInt(escape.replace(/^..\{?/, ""), 16));
  if (/^\\[0-7]{2}/.test(escape)) return fromCode(Number.parseInt(escape.slice(1), 8));
  return afterBackslash[second.toLowerCase()] ?? "";
}

function fromCode(code: number): string | undefined {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

// `%E2%82%AC` is one character of three bytes; bytes that are no UTF-8 stand for themselves.
function bytesOf(escape: string): Characters {
  const bytes = Uint8Array.from(escape.slice(1).split("%"), (hex) => Number.parseInt(hex, 16));
  const characters: [string, number][] = [];
  for (let index = 0; index < bytes.length;) {
    const size = sizeOf(bytes[index] ?? 0);
    const character = size === 1 ? undefined : decode(bytes.subarray(index, index + size));
    const used = character === undefined ? 1 : size;
    characters.push([character ?? String.fromCharCode(bytes[index] ?? 0), used * 3]);
    index += used;
  }
  return characters;
}

function sizeOf(lead: number): number {
  if (lead < 0xc0) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function lastAtMost(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
