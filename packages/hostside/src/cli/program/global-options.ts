import { InvalidArgumentError, type Command } from "commander";
import type { GlobalOptions } from "../command-context.ts";

/** Global options, and those that are done with before a command runs. */
export interface ProgramOptions extends GlobalOptions {
  /** Colours in any case, or in none. Default: as the streams and the environment say. */
  readonly color?: boolean | undefined;
}

/** Declares the options that every command has, before its name and after it. */
export function addGlobalOptions(program: Command): Command {
  return program
    .option("--config <file>", "use this file in place of what is found; can be given again", collect)
    .option("--dialect <name>", "how files of --config are read, such as evva (default: found out)")
    .option("--json", "one JSON document on stdout, and nothing else there")
    .option("--timeout <seconds>", "how long servers may take to come up (default: 30)", readSeconds)
    .option("--quiet", "no progress; problems and questions stay")
    .option("--verbose", "what servers write to stderr, and what a developer wants to know")
    .option("--record <file>", "what is said with servers, as a recording that can be played back")
    .option("--color", "colours, also where there is no terminal")
    .option("--no-color", "no colours");
}

function collect(file: string, files: readonly string[] = []): readonly string[] {
  return [...files, file];
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0) || seconds > longestSeconds)
    throw new InvalidArgumentError("It must be a number of seconds above 0.");
  return seconds;
}

// What a timer of JavaScript can wait for.
const longestSeconds = 2_147_483;
