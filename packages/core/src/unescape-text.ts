/** A text with one layer of escapes undone, and the way back to where each part of it stood. */
export interface UnescapedText {
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
export function unescapeMarkup(text: string): UnescapedText | undefined {
  return rewrite(text, markup, charactersOf);
}

/**
 * Drops every backslash and leaves all else as it is; `undefined` when there are none. Linear in
 * the length of the text.
 */
export function dropBackslashes(text: string): UnescapedText | undefined {
  return text.includes("\\") ? rewrite(text, /\\+/g, () => []) : undefined;
}

const hidden = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]+/gu;
const low = /^[\0-\u00AC]*$/;

/** Drops every character that nobody sees; `undefined` when there are none. Linear, too. */
export function dropHidden(text: string): UnescapedText | undefined {
  return low.test(text) ? undefined : rewrite(text, hidden, () => []);
}

// Lines of Base64 have 64 or 76 characters.
const folds = /(?<=[\w+/]{60})\r?\n[ \t]*(?=[\w+/=-])/g;

/** Joins lines of Base64; `undefined` when there are none. Linear, too. */
export function joinBase64Lines(text: string): UnescapedText | undefined {
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
