import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";

/** Declares a command on a program; `run` does its work with what every command has. */
export type Declare = (program: Command, run: Run) => void;

/** Runs the work of a command. */
export type Run = (work: (context: CommandContext) => Promise<number>) => Promise<void>;
