const wordRun = /[\p{L}\p{N}]+/gu;
const marks = /\p{M}+/gu;
const camelCase = /(\p{Ll})(\p{Lu})/gu;
const letterThenDigit = /(\p{L})(\p{N})/gu;
const digitThenLetter = /(\p{N})(\p{L})/gu;
// Scripts that are written without spaces; their words are searched by overlapping pairs of characters.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * The words of a text or an identifier, lower-cased: split at everything that is no letter or digit, at a lower-case letter
 * before an upper-case one (`listIssues`), before the last capital of a run (`HTTPServer`), and between letters and digits.
 * Accents are dropped. Linear in the length of the text; at most `maxWords` words are read.
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
      words.push(text.slice(start, at).toLowerCase());
      start = at;
    } else if (kind === upper && before === upper && kindOf(text.charCodeAt(at + 1)) === lower) {
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
  // Typographic quotes, dashes and spaces are common in English text, and no reason to take the slow way.
  return unit <= 0xa0 || (unit >= 0x2000 && unit <= 0x206f) ? separator : beyondAscii;
}

/** Whether a word ends between two characters of different kinds: everywhere but after a capital, as in `Issue`. */
function isBoundary(before: number, kind: number): boolean {
  return !(before === upper && kind === lower);
}

function splitUnicode(text: string, maxWords: number): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize("NFKD").replace(marks, "").matchAll(wordRun)) {
    const spaced = run.replace(camelCase, "$1 $2").replace(letterThenDigit, "$1 $2").replace(digitThenLetter, "$1 $2");
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
