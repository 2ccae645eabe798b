import { Command } from "commander";
import { readVersion, type Terminal } from "../terminal.ts";
import { addCommand, collect, configureHelp, readSeconds, setPage } from "./declare.ts";
import type { CommandRun, CommandSpec, Page } from "./declare.ts";
import { examine } from "./examine.ts";
import { look } from "./look.ts";
import { more } from "./more.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";
import { use } from "./use.ts";

/** Every command, by its heading in the overview. */
const groups: Readonly<Record<string, readonly CommandSpec[]>> = {
  Look: look,
  Use: use,
  "Set up": setUp,
  "Sign in": signIn,
  Examine: examine,
  More: more,
};

/**
 * The program with every command. It throws a `CommanderError` where it would end the process, and
 * writes nothing but help and its version.
 */
export function createProgram(terminal: Terminal, run: CommandRun): Command {
  const program = new Command("hostside")
    .usage("COMMAND [arguments] [options]")
    .version(readVersion(), "-v, --version", "the version of hostside")
    .helpOption("-h, --help", "what a command does, with examples")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err, outputError: () => undefined })
    .option("--config <file>", "use this file in place of what is found; can be given again", collect)
    .option("--dialect <name>", "how files of --config are read, such as evva (default: found out)")
    .option("--json", "one JSON document on stdout, and nothing else there")
    .option("--timeout <seconds>", "how long servers may take to come up (default: 30)", (text) => readSeconds(text))
    .option("--quiet", "no progress; problems and questions stay")
    .option("--verbose", "what servers write to stderr, and what a developer wants to know")
    .option("--record <file>", "what is said with servers, as a recording that can be played back")
    .option("--color", "colours, also where there is no terminal")
    .option("--no-color", "no colours");
  configureHelp(setPage(program, overview), terminal);
  for (const [heading, commands] of Object.entries(groups)) {
    for (const spec of commands) addCommand(program, spec, run).helpGroup(`${heading}:`);
  }
  return program;
}

const overview: Page = {
  does: "all your MCP servers, from a terminal",
  about: [
    "Servers come from the configurations that you have (hostside.json, and those of Claude Code, Cursor, VS Code and others), or from the files of --config. A URL, or a program behind --, is used in place of them.",
    "hostside help COMMAND says everything about a command.",
  ],
  examples: {
    "hostside list": "every server with what is wrong with it, and its tools",
    "hostside --config mcp.json list": "the same for one file",
  },
  json: "what the page of each command says; of help and --version { text }",
};
