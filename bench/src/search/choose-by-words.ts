/** Something that can be chosen, as it is shown. */
export interface Option {
  readonly id: string;
  /** What it is called; counts twice. */
  readonly title: string;
  readonly text: string;
}

const emptyWords: ReadonlySet<string> = new Set(
  "a an and any are as at be been but by can could do does for from get give has have he her his how i if in into is it its just let like make me my need no not of on one or our out over please she so some than that the their them then there these they this to up us use want was we were what when where which who will with would you your".split(
    " ",
  ),
);

/** The words of a sentence that say something, each once, without the end of a plural. */
export function contentWords(sentence: string): readonly string[] {
  const spaced = sentence.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  const words = spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1 && !emptyWords.has(word));
  return Array.from(new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, "") : word))));
}

/**
 * A choice, and how sure whoever made it can be: the share of the sentence, by how telling its
 * words are, that is in what was chosen.
 */
export interface Choice<T extends Option> {
  readonly option: T;
  readonly share: number;
}

/**
 * What has most of the words of a sentence; a word counts for more the fewer of the options have
 * it, and twice in a title. Of equals, the first that was shown. All that a simple reader knows is
 * what it is shown.
 */
export function chooseByWords<T extends Option>(sentence: string, options: readonly T[]): Choice<T> | undefined {
  const words = contentWords(sentence);
  const read = options.map((option) => ({
    option,
    title: new Set(contentWords(option.title)),
    text: new Set(contentWords(option.text)),
  }));
  const weights = words.map((word) => {
    const having = read.filter(({ title, text }) => title.has(word) || text.has(word)).length;
    return Math.log(1 + options.length / Math.max(1, having));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let best: Choice<T> | undefined;
  let most = -1;
  for (const { option, title, text } of read) {
    const has = words.map((word) => (title.has(word) ? 2 : text.has(word) ? 1 : 0));
    const score = has.reduce((sum: number, times, at) => sum + times * (weights[at] ?? 0), 0);
    if (score <= most) continue;
    most = score;
    const share = has.reduce((sum: number, times, at) => sum + (times > 0 ? (weights[at] ?? 0) : 0), 0);
    best = { option, share: total === 0 ? 0 : share / total };
  }
  return best;
}
