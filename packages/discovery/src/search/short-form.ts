const consonantsAlone = /^[b-df-hj-np-tv-xz]{3,}$/;
const vowelsAtEnd = /[aeiou]+$/;

/**
 * Whether a word has nothing but consonants, at least three, as words have from which people leave
 * out what can be guessed.
 */
export function hasNoVowels(word: string): boolean {
  return consonantsAlone.test(word);
}

/**
 * Whether a word may be what is left of a longer one: its letters in their order, from the first to
 * the last that is no vowel. So `btn` is short for `button`, and `ssh` not for `snapshot`.
 */
export function isShortFor(word: string, longer: string): boolean {
  if (word.length >= longer.length || word[0] !== longer[0]) return false;
  if (word.at(-1) !== longer.replace(vowelsAtEnd, "").at(-1)) return false;
  let at = 0;
  for (const letter of longer) if (letter === word[at]) at += 1;
  return at === word.length;
}
