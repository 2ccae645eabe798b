import type { ToolDefinition } from "@hostside/core";
import { generalVerbs } from "../search/general-verbs.ts";
import { isDestructiveVerb, isEverydayVerb, isReadingVerb } from "../search/name-intent.ts";
import { splitWords } from "../search/split-words.ts";
import { stemWord } from "../search/stem-word.ts";
import { stopWords } from "../search/stop-words.ts";

/**
 * What tools are about, by their names: things, and what is done with them; the most usual ones
 * first.
 */
export interface Topics {
  readonly things: readonly string[];
  readonly deeds: readonly string[];
}

const mostThings = 8;
const mostDeeds = 4;
// So many that stand in more than one name say enough; what stands in a single one is named only
// where there are fewer.
const enough = 5;
const mostWordsPerTool = 24;
// Of all places where one word of a pair stands, how many have the other one beside it.
const pairShare = 0.5;
// Words that servers use of themselves and their tools.
const emptyWords: ReadonlySet<string> = new Set(
  "mcp server tool tools api id ids all new info details many multiple bulk batch".split(" "),
);
const endOfThing: ReadonlySet<string> = new Set(
  "by for from with to in of across on at via into as between within".split(" "),
);
// What is done with a thing, beside the verbs that everybody uses; most of these are what one does
// in a browser or a file.
const moreVerbs =
  "archive unarchive install simulate emulate handle upsert reschedule uncomplete put post patch retrieve query manage take click close drag hover press type scroll fork push exec wait reply revert";
const verbs: ReadonlySet<string> = new Set(
  [...generalVerbs.flatMap((line) => line.split(", ")), ...moreVerbs.split(" ")].filter((term) => !term.includes(" ")),
);

/**
 * Reads the names of tools; `known` are stems of what the group is called anyway. Bounded for each
 * tool.
 */
export function topicsOf(tools: readonly ToolDefinition[], known: ReadonlySet<string>): Topics {
  const names = tools.map(({ name, origin }) =>
    splitWords(origin?.toolName ?? name, mostWordsPerTool).filter(
      (word) => !known.has(stemWord(word)) && !emptyWords.has(word) && /\p{L}/u.test(word),
    ),
  );
  const read = withoutPrefix(withoutPrefix(names)).map(readName);
  const deeds = createTally();
  for (const { deed } of read) if (deed !== undefined) deeds.count(deed, 1);
  const things = createTally();
  for (const phrase of joinPairs(joinPairs(read.map(({ thing }) => thing)))) {
    // A name begins with what it is about; what follows is a part of that.
    phrase.forEach((word, index) => things.count(word, 1 / (1 + index / 4)));
  }
  const about = things.most(mostThings);
  return { things: about, deeds: deeds.most(mostDeeds).filter((deed) => !about.includes(deed)) };
}

/** Leaves out the word with which most names begin, such as the program that they all run. */
function withoutPrefix(names: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  for (const [first] of names)
    if (first !== undefined && !verbs.has(first)) counts.set(first, (counts.get(first) ?? 0) + 1);
  const prefix = Array.from(counts).find(([, count]) => count > names.length / 2 && count > 2)?.[0];
  return prefix === undefined ? names : names.map((words) => (words[0] === prefix ? words.slice(1) : words));
}

interface ReadName {
  readonly deed: string | undefined;
  readonly thing: readonly string[];
}

function readName(words: readonly string[]): ReadName {
  const [first = "", second = ""] = words;
  const last = words.at(-1) ?? "";
  let deed: string | undefined;
  let rest = words;
  if (verbs.has(first)) {
    deed = first;
    // create_or_update_file is about files.
    rest = words.slice(second === "or" || second === "and" ? 3 : 1);
  } else if (words.length > 1 && isPlainVerb(last)) {
    deed = last;
    rest = words.slice(0, -1);
  }
  const end = rest.findIndex((word) => endOfThing.has(word));
  const thing = (end === -1 ? rest : rest.slice(0, end)).filter((word) => word.length > 1 && !stopWords.has(word));
  return { deed, thing };
}

/** Whether a word is a verb wherever it stands in a name. */
function isPlainVerb(word: string): boolean {
  const stem = stemWord(word);
  return isEverydayVerb(stem) || isReadingVerb(stem) || isDestructiveVerb(stem) || word === "upsert";
}

/** Makes one word of two that mostly stand together, such as `pull request`. */
function joinPairs(phrases: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const singles = new Map<string, number>();
  const pairs = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string): unknown => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const phrase of phrases) {
    for (const word of new Set(phrase.map(keyOf))) add(singles, word);
    for (const pair of new Set(pairsOf(phrase))) add(pairs, pair);
  }
  const isPair = (pair: string): boolean => {
    const [a = "", b = ""] = pair.split("\n");
    const together = pairs.get(pair) ?? 0;
    return together ** 2 >= pairShare * (singles.get(a) ?? 0) * (singles.get(b) ?? 0);
  };
  return phrases.map((phrase) => {
    const joined: string[] = [];
    for (let at = 0; at < phrase.length; at += 1) {
      const [word = "", next] = phrase.slice(at, at + 2);
      const isJoined = next !== undefined && isPair(`${keyOf(word)}\n${keyOf(next)}`);
      joined.push(isJoined ? `${word} ${next}` : word);
      if (isJoined) at += 1;
    }
    return joined;
  });
}

function pairsOf(phrase: readonly string[]): readonly string[] {
  return phrase.slice(1).map((word, index) => `${keyOf(phrase[index] ?? "")}\n${keyOf(word)}`);
}

function keyOf(phrase: string): string {
  return phrase.split(" ").map(stemWord).join(" ");
}

interface Tally {
  count(word: string, weight: number): void;
  /**
   * The most usual ones, of equals the one that came first; each in the shortest form that it had.
   */
  most(limit: number): readonly string[];
}

function createTally(): Tally {
  const counts = new Map<string, { form: string; weight: number }>();
  return {
    count(word, weight) {
      const entry = counts.get(keyOf(word));
      if (entry === undefined) counts.set(keyOf(word), { form: word, weight });
      else {
        entry.weight += weight;
        if (word.length < entry.form.length) entry.form = word;
      }
    },
    most(limit) {
      const sorted = Array.from(counts.values()).sort((a, b) => b.weight - a.weight);
      const usual = sorted.filter(({ weight }) => weight > 1);
      return (usual.length < enough ? sorted : usual).slice(0, limit).map(({ form }) => form);
    },
  };
}
