import type { Command } from "commander";

/** Headings under which `hostside --help` shows commands. */
export type Purpose = "Look" | "Use" | "Set up" | "Sign in" | "Examine" | "More";

/** What `hostside help COMMAND` shows beside what the command declares of itself. */
export interface Page {
  /** The heading of the overview that it stands under. */
  readonly purpose: Purpose;
  /** What it does, in sentences: one text for each paragraph. */
  readonly about?: readonly string[] | undefined;
  /** Command lines that work, each with what it does. At least one. */
  readonly examples: readonly Example[];
  /**
   * What `--json` prints: the shape as text, each line shown as it is. Left out where there is
   * nothing to print.
   */
  readonly json?: string | undefined;
  /** What codes mean here, beside what they mean for all commands. */
  readonly exits?: Readonly<Record<number, string>> | undefined;
}

/** A command line as it is typed, and what it does. */
export interface Example {
  /** Starts with `hostside `. */
  readonly line: string;
  readonly does: string;
}

const pages = new WeakMap<Command, Page>();

/** Gives a command its page. Returns the command, to go on with. */
export function describePage(command: Command, page: Page): Command {
  pages.set(command, page);
  return command.helpGroup(`${page.purpose}:`);
}

/** The page of a command. */
export function helpPageOf(command: Command): Page | undefined {
  return pages.get(command);
}
