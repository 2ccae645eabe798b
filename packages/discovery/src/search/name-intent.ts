import { stemWord } from "./stem-word.ts";

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

/** Whether a query asks for information rather than for a deed. */
export function isQuestion(query: string): boolean {
  const trimmed = query.trim();
  const first = /^[a-z]+/i.exec(trimmed)?.[0].toLowerCase() ?? "";
  return trimmed.includes(" ") && (trimmed.endsWith("?") || questionWords.has(first));
}

/** Whether a stem of a tool's name says that the tool only looks. */
export function isReadingVerb(stem: string): boolean {
  return readingVerbs.has(stem);
}

/**
 * Whether a stem is of a verb that half of all tools have, so that it says little about which one
 * is meant.
 */
export function isEverydayVerb(stem: string): boolean {
  return everydayVerbs.has(stem);
}

/** Whether a stem of a tool's name says that something is lost when it runs. */
export function isDestructiveVerb(stem: string): boolean {
  return destructiveVerbs.has(stem);
}

function stemsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(stemWord));
}
