/**
 * Whether a regular expression has the classic shape that makes backtracking engines take
 * exponential time: a group repeated without bound of which an alternative is nothing but
 * repetitions, as in `(a+)+` or `(\w*\s?)*`, or of which two alternatives begin alike, as in
 * `(a|a)*`. A scan of the text, linear and without running it; it knows the shape, not every slow
 * pattern.
 */
export function exponentialPattern(pattern: string): boolean {
  const stack: Group[] = [newGroup()];
  let at = 0;
  while (at < pattern.length) {
    const group = stack.at(-1) ?? newGroup();
    const char = pattern[at];
    if (char === "(") {
      stack.push(newGroup());
      at += /^\((?:\?(?:[:=!]|<[=!]|<\w{0,64}>))?/.exec(pattern.slice(at, at + 70))?.[0].length ?? 1;
      continue;
    }
    if (char === "|") {
      group.alternatives.push(newAlternative());
      at += 1;
      continue;
    }
    const closes = char === ")" && stack.length > 1;
    const end = closes ? at + 1 : atomEnd(pattern, at);
    const quantifier = readQuantifier(pattern, end);
    if (closes) {
      stack.pop();
      if (quantifier.unbounded && isAmbiguous(group)) return true;
    }
    const hungry = closes && group.alternatives.some(isHungry);
    addAtom(stack.at(-1) ?? group, { text: pattern.slice(at, end), hungry, ...quantifier });
    at = end + quantifier.length;
  }
  return false;
}

interface Alternative {
  head: string | undefined;
  /** Has something repeated without bound. */
  repeats: boolean;
  /**
   * Has something that must be there exactly so often, which keeps the rounds of a repetition
   * apart.
   */
  anchored: boolean;
}

interface Group {
  readonly alternatives: Alternative[];
}

interface Quantifier {
  readonly unbounded: boolean;
  readonly optional: boolean;
  readonly length: number;
}

function newAlternative(): Alternative {
  return { head: undefined, repeats: false, anchored: false };
}

function newGroup(): Group {
  return { alternatives: [newAlternative()] };
}

function addAtom(
  { alternatives }: Group,
  atom: Quantifier & { readonly text: string; readonly hungry: boolean },
): void {
  const alternative = alternatives.at(-1);
  if (alternative === undefined || atom.text === "^" || atom.text === "$") return;
  alternative.head ??= atom.text;
  if (atom.unbounded || atom.hungry) alternative.repeats = true;
  else if (!atom.optional) alternative.anchored = true;
}

function isHungry({ repeats, anchored }: Alternative): boolean {
  return repeats && !anchored;
}

function isAmbiguous({ alternatives }: Group): boolean {
  const heads = alternatives.flatMap(({ head }) => head ?? []);
  return alternatives.some(isHungry) || new Set(heads).size < heads.length;
}

function readQuantifier(pattern: string, at: number): Quantifier {
  const match = /^(?:[*+?]|\{\d{1,9}(?:,\d{0,9})?\})[?+]?/.exec(pattern.slice(at, at + 24))?.[0] ?? "";
  return {
    unbounded: /^(?:[*+]|\{\d+,\})/.test(match),
    optional: /^(?:\?|\{0)/.test(match),
    length: match.length,
  };
}

/** Where the atom that begins at `at` ends: an escape, a class, or one character. */
function atomEnd(pattern: string, at: number): number {
  if (pattern[at] === "\\") return at + 2;
  if (pattern[at] !== "[") return at + 1;
  for (let end = at + 1; end < pattern.length; end += 1) {
    if (pattern[end] === "\\") end += 1;
    else if (pattern[end] === "]") return end + 1;
  }
  return pattern.length;
}
