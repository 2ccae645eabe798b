import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";

/** Declares a command on a program; `run` does its work with what every command has. */
export type Declare = (program: Command, run: CommandRun, runLine: RunLine) => void;

/** Runs the work of a command. */
export type CommandRun = (work: (context: CommandContext) => Promise<number>) => Promise<void>;

/**
 * Runs a command line of its own, with the terminal, the options and the host of a command. Never
 * rejects.
 */
export type RunLine = (argv: readonly string[], context: CommandContext) => Promise<number>;
