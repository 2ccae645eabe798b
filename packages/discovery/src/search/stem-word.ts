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

/** Says whether a word ends as a plural does. Says nothing of words of three letters or fewer. */
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

const readingVerbs = stemsOf(
  "get list search find show read fetch describe query count check view look explain retrieve preview browse inspect export",
);
const destructiveVerbs = stemsOf(
  "delete remove drop destroy purge erase uninstall trash void revoke cancel discard disconnect",
);
const everydayVerbs = stemsOf("get list show find create add make update change set look see give go move open start");
const questionWords: ReadonlySet<string> = new Set(
  "what which who whose whom when where why how is are am was were do does did has have can could will would should".split(
    " ",
  ),
);

/** Says whether a query asks for information rather than for a deed. */
export function isQuestion(query: string): boolean {
  const trimmed = query.trim();
  const first = /^[a-z]+/i.exec(trimmed)?.[0].toLowerCase() ?? "";
  return trimmed.includes(" ") && (trimmed.endsWith("?") || questionWords.has(first));
}

/** Says whether a stem of a tool's name says that the tool only looks. */
export function isReadingVerb(stem: string): boolean {
  return readingVerbs.has(stem);
}

/**
 * Says whether a stem is of a verb that half of all tools have, so that it says little about which
 * one is meant.
 */
export function isEverydayVerb(stem: string): boolean {
  return everydayVerbs.has(stem);
}

/** Says whether a stem of a tool's name says that something is lost when it runs. */
export function isDestructiveVerb(stem: string): boolean {
  return destructiveVerbs.has(stem);
}

function stemsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(stemWord));
}
