import { cleanText } from "@hostside/core";
import type { FileOptions, TypedServer } from "../command-context.ts";

/**
 * A text of a server's as one line for a terminal: cleaned, every run of blanks and line feeds one
 * blank, at most `maxLength` UTF-16 units.
 */
export function terminalLine(text: string, maxLength: number = 1000): string {
  // Of a text of megabytes no more is looked at than can be shown.
  const line = cleanText(text, maxLength * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return cleanText(line, maxLength);
}

/**
 * A text of a server's as lines for a terminal: cleaned, tabs as blanks, without blank lines at its
 * ends.
 */
export function cleanLines(text: string, maxLength: number = 20_000): readonly string[] {
  return cleanText(text, maxLength)
    .replaceAll("\t", "  ")
    .replaceAll(/^(?:[^\S\n]*\n)+|\s+$/g, "")
    .split("\n")
    .map((line) => line.trimEnd());
}

/**
 * Arguments as they are typed in a shell, one that nobody has to quote as it is. People
 * copy it; this program never runs it.
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

/** The words for a server in a command line of hostside: its id, or what was typed in its place. */
export function serverWords(serverId: string, typed: TypedServer | undefined): readonly string[] {
  if (typed?.id !== serverId) return [serverId];
  return typed.words.length === 1 && /^https?:/i.test(typed.words[0] ?? "") ? typed.words : ["--", ...typed.words];
}

/** The options that have another command line use the same files. */
export function fileWords(
  { config = [], dialect }: FileOptions,
  toPath: (file: string) => string = (file) => file,
): readonly string[] {
  const files = config.flatMap((file) => ["--config", toPath(file)]);
  return dialect === undefined ? files : [...files, "--dialect", dialect];
}
