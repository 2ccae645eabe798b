import type { Terminal } from "./terminal.ts";

/** Options that every command has. */
export interface GlobalOptions {
  /** Files in place of what is found (`--config`, repeatable). */
  readonly config?: readonly string[] | undefined;
  /** One JSON document on stdout, and nothing else there. */
  readonly json?: boolean | undefined;
  /** How long servers may take to come up, in seconds. */
  readonly timeout?: number | undefined;
}

/** What a command gets beside its own arguments. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly options: GlobalOptions;
}

/** A command's work: resolves to the exit code, see `exitCodes`. What it throws becomes a message and `exitCodeOf` of it. */
export type CommandWork<Arguments> = (args: Arguments, context: CommandContext) => Promise<number>;
