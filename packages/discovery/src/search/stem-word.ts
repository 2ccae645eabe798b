/**
 * A short form that the inflections of an English word share: `issues` and `issue`, `creating`,
 * `created` and `creation`. Not a dictionary form. Words of three letters or fewer, and words with
 * anything but `a` to `z`, are returned as they are.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let stem = withoutPlural(word);
  if (stem.endsWith("ment") && stem.length >= 9) stem = stem.slice(0, -4);
  else if (/[st]ion$/.test(stem) && stem.length >= 7) stem = stem.slice(0, -3);
  else if (stem.endsWith("ing") && hasVowel(stem.slice(0, -3))) stem = undoubled(stem.slice(0, -3));
  else if (stem.endsWith("ed") && hasVowel(stem.slice(0, -2))) stem = undoubled(stem.slice(0, -2));
  return stem.length > 3 && stem.endsWith("e") ? stem.slice(0, -1) : stem;
}

/** Whether a word ends as a plural does. Says nothing of words of three letters or fewer. */
export function isPlural(word: string): boolean {
  return word.length >= 4 && word.endsWith("s") && withoutPlural(word) !== word;
}

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith("s") && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

// A stem is at least three letters with a vowel among them, so that `string` and `need` stay what
// they are.
function hasVowel(stem: string): boolean {
  return stem.length >= 3 && /[aeiouy]/.test(stem);
}

// running -> run, stopped -> stop; but fill, miss and staff end in two letters of their own.
function undoubled(stem: string): string {
  const last = stem.at(-1);
  return last === stem.at(-2) && last !== "l" && last !== "s" && last !== "f" ? stem.slice(0, -1) : stem;
}
