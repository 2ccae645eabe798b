import type { Command } from "commander";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { completeWords, type WordCompletion } from "./complete-words.ts";
import { sourcesAtRest } from "./completion-sources.ts";
import type { ShellName } from "./shell-scripts.ts";
import { splitLine, quoteFor, type TypedLine } from "./split-line.ts";
import { terminalLine } from "../render/render-text.ts";

/** What a shell's script asks. */
export interface ShellQuestion {
  readonly program: Command;
  readonly shell: ShellName;
  /** The words after the program's name, the one at the cursor last. */
  readonly words: readonly string[];
  /** In their place, the line up to the cursor. */
  readonly line: string | undefined;
  /** Characters at which the shell divides a word (`COMP_WORDBREAKS`). */
  readonly breaks: string;
}

/**
 * Answers a shell's script. What goes wrong completes nothing: a person who presses a key wants no
 * message.
 */
export const runCompleteCommand: CommandWork<ShellQuestion> = async (
  { program, shell, words, line, breaks },
  context,
) => {
  const typed = line === undefined ? undefined : splitLine(line);
  const wanted = typed ?? { words: ["hostside", ...words.slice(0, -1)], current: words.at(-1) ?? "" };
  // What stands before the name are variables, and what stands in its place is an alias.
  const name = Math.max(
    0,
    wanted.words.findIndex((word) => /(?:^|[\\/])hostside$/.test(word)),
  );
  const before = wanted.words.slice(name + 1);
  try {
    const found = await completeWords(
      program,
      { words: before, current: wanted.current },
      sourcesAtRest(context, before),
    );
    context.terminal.out(answerShell(found, shell, { typed, line: line ?? "", breaks }));
  } catch (error) {
    if (context.options.verbose === true) throw error;
  }
  return exitCodes.pass;
};

/**
 * What a shell's script gets for a completion: a line that says what follows, then a word in each
 * line, as that shell wants it.
 */
function answerShell(
  completion: WordCompletion,
  shell: ShellName,
  { typed, line, breaks }: { readonly typed?: TypedLine | undefined; readonly line: string; readonly breaks: string },
): string {
  if (completion === "files") return "files\n";
  const words = completion.map(({ value, about = "" }) => {
    if (shell !== "bash") return about === "" ? value : `${value}\t${terminalLine(about, 80)}`;
    return typed === undefined ? value : afterBreak(quoteFor(value, typed.quote), line.slice(typed.start), breaks);
  });
  return ["words", ...new Set(words), ""].join("\n");
}

// Bash takes `a:b` for three words and replaces the last one alone.
function afterBreak(word: string, raw: string, breaks: string): string {
  if (/^["']/.test(raw)) return word;
  for (let at = raw.length - 1; at >= 0; at -= 1) {
    if (":=@".includes(raw.charAt(at)) && breaks.includes(raw.charAt(at)) && word.startsWith(raw.slice(0, at + 1)))
      return word.slice(at + 1);
  }
  return word;
}
