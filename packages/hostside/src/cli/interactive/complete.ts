import type { Command } from "commander";
import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { answerShell } from "./answer-shell.ts";
import { completeWords } from "./complete-words.ts";
import { sourcesAtRest } from "./completion-sources.ts";
import type { ShellName } from "./shell-scripts.ts";
import { splitLine } from "./split-line.ts";

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
