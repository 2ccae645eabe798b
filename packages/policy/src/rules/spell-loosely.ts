import { foldCase } from "@hostside/core/implement";
import { matchGlob, type GlobMatch } from "./match-glob.ts";

/**
 * A glob as names are spelled that are compared loosely: A to Z lower-cased, all that is neither
 * letter nor digit one `_`; `*` stays.
 */
export function spellLoosely(glob: string): string {
  // As at the ends of names there is none, one at an end of the glob could match nothing.
  return joinWords(glob, /[^a-z0-9*]+/g);
}

/**
 * Whether a remote name, however it is spelled, is one that a glob of {@linkcode spellLoosely}
 * stands for.
 */
export function matchLoosely(glob: string): GlobMatch {
  const matches = matchGlob(glob);
  return (name) => {
    const spelled = joinWords(name, /[^a-z0-9]+/g);
    // Where names have to begin with a letter, an x is put in front of what does not.
    return matches(spelled) || (!/^[a-z]/.test(spelled) && matches(`x${spelled}`));
  };
}

function joinWords(text: string, others: RegExp): string {
  return foldCase(text).replace(others, "_").replace(/^_|_$/g, "");
}
