import { terminalLine } from "./one-line.ts";

/**
 * Arguments as they are typed in a shell, one that nobody has to quote as it is. For people to
 * copy; never run by this program.
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(word: string): string {
  const shown = terminalLine(word, 500);
  // A shell makes another word of one that begins with "~" or "=", but "~/" is what people write
  // for their home.
  return /^(?:~\/|[\w@%+:,./-])[\w@%+=:,./~-]*$/.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
}
