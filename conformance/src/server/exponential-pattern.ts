// A group that opens, a bar, or an atom with its quantifier: the end of a group, an escape, a class,
// a character.
const token =
  /(\((?:\?(?:[:=!]|<[=!]|<\w{0,64}>))?)|(\|)|(\\[^]?|\[(?:\\[^]|[^\\\]])*\]?|[^])((?:[*+?]|\{\d{1,9}(?:,\d{0,9})?\})[?+]?)?/g;

interface Alternative {
  head?: string;
  /** Has something repeated without bound. */
  repeats: boolean;
  /**
   * Has something that must be there exactly so often, which keeps the rounds of a repetition
   * apart.
   */
  anchored: boolean;
}

/**
 * Whether a regular expression has the classic shape that makes backtracking engines take
 * exponential time: a group repeated without bound of which an alternative is nothing but
 * repetitions, as in `(a+)+` or `(\w*\s?)*`, or of which two alternatives begin alike, as in
 * `(a|a)*`. A scan of the text, linear and without running it; it knows the shape, not every slow
 * pattern.
 */
export function exponentialPattern(pattern: string): boolean {
  const groups: Alternative[][] = [[newAlternative()]];
  for (const [, opening, bar, atom = "", quantifier = ""] of pattern.matchAll(token)) {
    const group = groups.at(-1) ?? [];
    if (opening !== undefined) groups.push([newAlternative()]);
    if (bar !== undefined) group.push(newAlternative());
    if (atom === "" || atom === "^" || atom === "$") continue;
    const isClosing = atom === ")" && groups.length > 1;
    const isUnbounded = /^(?:[*+]|\{\d+,\})/.test(quantifier);
    if (isClosing) groups.pop();
    if (isClosing && isUnbounded && isAmbiguous(group)) return true;
    const alternative = groups.at(-1)?.at(-1);
    if (alternative === undefined) continue;
    alternative.head ??= atom;
    if (isUnbounded || (isClosing && group.some(isHungry))) alternative.repeats = true;
    else if (!/^(?:\?|\{0)/.test(quantifier)) alternative.anchored = true;
  }
  return false;
}

function newAlternative(): Alternative {
  return { repeats: false, anchored: false };
}

function isHungry({ repeats, anchored }: Alternative): boolean {
  return repeats && !anchored;
}

function isAmbiguous(group: readonly Alternative[]): boolean {
  const heads = group.flatMap(({ head }) => head ?? []);
  return group.some(isHungry) || new Set(heads).size < heads.length;
}
