/// <reference lib="esnext.disposable" preserve="true" />
import type { Command } from "commander";
import type { HostParts } from "../create-host.ts";
import type { TerminalPrompter } from "./questions.ts";
import type { Terminal } from "./terminal.ts";

/** A server that stands in a command line itself, in place of a configuration. */
export interface TypedServer {
  readonly id: string;
  /** A URL, or a program and its arguments. */
  readonly words: readonly string[];
}

/** The files that are read, and their dialect. */
export interface FileOptions {
  /** Files in place of what is found (`--config`, repeatable). */
  readonly config?: readonly string[] | undefined;
  /** The dialect of these files (`--dialect`). Default: found out. */
  readonly dialect?: string | undefined;
}

/** The user's servers, as a command works with them. */
export interface OpenedHost extends HostParts, AsyncDisposable {
  /** Asks the person at the terminal; `undefined` where nobody is to be asked. */
  readonly asker: TerminalPrompter | undefined;
}

/** Options that every command has. */
export interface GlobalOptions extends FileOptions {
  /** A server that the command line has in it, in place of files. */
  readonly typed?: TypedServer | undefined;
  /** One JSON document on stdout, and nothing else there. */
  readonly json?: boolean | undefined;
  /** The most seconds that servers may take to come up, more than 0. Default 30. */
  readonly timeout?: number | undefined;
  /** No progress on stderr. Problems and questions stay. */
  readonly quiet?: boolean | undefined;
  /** Shows what servers write to stderr, and what a developer wants to know, on stderr. */
  readonly verbose?: boolean | undefined;
  /**
   * A file that becomes a recording of what is said with servers (`@hostside/conformance/replay`).
   */
  readonly record?: string | undefined;
}

/** The surroundings of a command. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly options: GlobalOptions;
  /**
   * Makes a signal the regular end of the command, for commands that run until they are stopped.
   */
  readonly expectStop?: (() => void) | undefined;
  /** All commands, for those that are about commands. */
  readonly program?: Command | undefined;
}

/**
 * A command's work: resolves to the exit code, see `exitCodes`. An error becomes a message and
 * an exit code, see `exitCodeOf`.
 */
export type CommandWork<Arguments> = (args: Arguments, context: CommandContext) => Promise<number>;
