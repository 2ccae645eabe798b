const wordRun = /[\p{L}\p{N}]+/gu;
const marks = /\p{M}+/gu;
const camelCase = /(\p{Ll})(\p{Lu})/gu;
const letterThenDigit = /(\p{L})(\p{N})/gu;
const digitThenLetter = /(\p{N})(\p{L})/gu;
const pluralOfCapitals = /(\p{Lu}{2})s(?!\p{Ll})/gu;
// Scripts that are written without spaces; their words are searched by overlapping pairs of
// characters.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * The words of a text or an identifier, lower-cased: split at everything that is no letter or
 * digit, at a lower-case letter before an upper-case one (`listIssues`), before the last capital of
 * a run (`HTTPServer`), and between letters and digits. The plural of an abbreviation is the
 * abbreviation (`VMs`). Accents are dropped. Linear in the length of the text; at most `maxWords`
 * words are read.
 */
export function splitWords(text: string, maxWords: number = Number.POSITIVE_INFINITY): string[] {
  const words: string[] = [];
  let start = 0;
  let before = separator;
  for (let at = 0; at <= text.length && words.length < maxWords; at += 1) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at)) : separator;
    if (kind === beyondAscii)
      return words.concat(splitUnicode(text.slice(before === separator ? at : start), maxWords - words.length));
    if (before === separator) {
      start = at;
    } else if (kind !== before && isBoundary(before, kind)) {
      words.push(wordAt(text, start, at));
      start = at;
    } else if (kind === upper && before === upper && beginsWord(text, at)) {
      words.push(text.slice(start, at).toLowerCase());
      start = at;
    }
    before = kind;
  }
  return words;
}

const separator = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const beyondAscii = 4;

const asciiKinds: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  return /[0-9]/.test(character) ? digit : separator;
});

function kindOf(unit: number): number {
  if (unit < 128) return asciiKinds[unit] ?? separator;
  // Typographic quotes, dashes and spaces are common in English text, and no reason to take the
  // slow way.
  return unit <= 0xa0 || (unit >= 0x2000 && unit <= 0x206f) ? separator : beyondAscii;
}

const plural = 115;

/**
 * Whether a capital after a capital begins a word of its own, as in `HTTPServer`; the last one of
 * `VMs` does not.
 */
function beginsWord(text: string, at: number): boolean {
  if (kindOf(text.charCodeAt(at + 1)) !== lower) return false;
  return text.charCodeAt(at + 1) !== plural || (at + 2 < text.length && kindOf(text.charCodeAt(at + 2)) === lower);
}

function wordAt(text: string, start: number, end: number): string {
  const isPlural =
    end - start > 2 &&
    text.charCodeAt(end - 1) === plural &&
    kindOf(text.charCodeAt(end - 2)) === upper &&
    kindOf(text.charCodeAt(end - 3)) === upper;
  return text.slice(start, isPlural ? end - 1 : end).toLowerCase();
}

/**
 * Whether a word ends between two characters of different kinds: everywhere but after a capital, as
 * in `Issue`.
 */
function isBoundary(before: number, kind: number): boolean {
  return !(before === upper && kind === lower);
}

function splitUnicode(text: string, maxWords: number): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKD").replace(marks, "").matchAll(wordRun)) {
    const spaced = run
      .replace(pluralOfCapitals, "$1")
      .replace(camelCase, "$1 $2")
      .replace(letterThenDigit, "$1 $2")
      .replace(digitThenLetter, "$1 $2");
    for (const word of spaced.toLowerCase().split(" ")) {
      for (const part of unspaced.test(word) ? pairsOf(word) : [word]) {
        if (words.length >= maxWords) return words;
        words.push(part);
      }
    }
  }
  return words;
}

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);
}

const letterRun = /[A-Za-z]+/g;
const capitalInside = /[a-z][A-Z]/;
const longestJoined = 24;

/**
 * Names that are written with a capital inside (`YouTube`, `GitHub`) as one word each, lower-cased,
 * the way people type them; {@linkcode splitWords} has their parts. Linear in the length of the
 * text; at most `maxWords` are read.
 */
export function joinWords(text: string, maxWords: number): string[] {
  const words: string[] = [];
  if (!capitalInside.test(text)) return words;
  for (const [run] of text.matchAll(letterRun)) {
    if (words.length >= maxWords) break;
    if (run.length <= longestJoined && capitalInside.test(run)) words.push(run.toLowerCase());
  }
  return words;
}
