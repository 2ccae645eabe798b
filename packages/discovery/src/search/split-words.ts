const wordRun = /[\p{L}\p{N}]+/gu;
const marks = /\p{M}+/gu;
const camelCase = /(\p{Ll})(\p{Lu})/gu;
const endOfCapitals = /(\p{Lu})(\p{Lu}\p{Ll})/gu;
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
  for (const [run] of text.normalize("NFKD").replace(marks, "").matchAll(wordRun)) {
    const spaced = run
      .replace(pluralOfCapitals, "$1")
      .replace(camelCase, "$1 $2")
      .replace(endOfCapitals, "$1 $2")
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

/**
 * Words that say nothing about which tool is meant. They count in names, and in a query that
 * consists of nothing else.
 */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after am an and any are as at be because been but by called can could did do does for from had has have having he her him " +
    "his how i if in into is it its just let like me my named need needs of off on or our out over own please right she should so some such " +
    "than that the their them then there these they this those to too up us use used uses using very via want was we were what " +
    "when where which while will with would you your"
  ).split(" "),
);
