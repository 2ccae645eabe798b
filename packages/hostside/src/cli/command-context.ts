/// <reference lib="esnext.disposable" preserve="true" />
import type { HostParts } from "../create-host.ts";
import type { HostState } from "../host-options.ts";
import type { Approver, TerminalPrompter } from "./questions.ts";
import type { Terminal } from "./terminal.ts";

/** A server that stands in a command line itself, in place of a configuration. */
export interface TypedServer {
  readonly id: string;
  /** A URL, or a program and its arguments. */
  readonly words: readonly string[];
}

/** Which files are read, and how. */
export interface FileOptions {
  /** Files in place of what is found (`--config`, repeatable). */
  readonly config?: readonly string[] | undefined;
  /** The dialect of these files (`--dialect`). Default: found out. */
  readonly dialect?: string | undefined;
}

/** The user's servers, as a command works with them. */
export interface OpenedHost extends HostParts, AsyncDisposable {
  readonly state: HostState;
  /** Asks the person at the terminal; `undefined` where nobody is to be asked. */
  readonly asker: TerminalPrompter | undefined;
  /** Whom calls are approved by, see `OpenHostRequest.approver`. */
  readonly approver?: Approver | undefined;
}

/** Options that every command has. */
export interface GlobalOptions extends FileOptions {
  /** A server that the command line has in it, in place of files. */
  readonly typed?: TypedServer | undefined;
  /** One JSON document on stdout, and nothing else there. */
  readonly json?: boolean | undefined;
  /** How long servers may take to come up, in seconds: more than 0. Default 30. */
  readonly timeout?: number | undefined;
  /** No progress on stderr. Problems and questions stay. */
  readonly quiet?: boolean | undefined;
  /** What servers write to stderr and what a developer wants to know, on stderr. */
  readonly verbose?: boolean | undefined;
  /**
   * A file that becomes a recording of what is said with servers (`@hostside/conformance/replay`).
   */
  readonly record?: string | undefined;
}

/** What a command gets beside its own arguments. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly options: GlobalOptions;
  /** A host that is open already and stays so, as in the `repl`. `openHost()` hands it out. */
  readonly opened?: OpenedHost | undefined;
  /**
   * Has a signal be what ends the command, and no interruption: for what runs until it is stopped.
   */
  readonly expectStop?: (() => void) | undefined;
}

/**
 * A command's work: resolves to the exit code, see `exitCodes`. What it throws becomes a message
 * and `exitCodeOf` of it.
 */
export type CommandWork<Arguments> = (args: Arguments, context: CommandContext) => Promise<number>;

/**
 * Runs a command line of its own, with the terminal, the options and the host of a command. Never
 * rejects.
 */
export type RunLine = (argv: readonly string[], context: CommandContext) => Promise<number>;
