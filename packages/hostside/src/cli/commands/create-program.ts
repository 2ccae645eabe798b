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
    .version(readVersion(), "-v, --version", "print the version")
    .helpOption("-h, --help", "show help with examples")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err, outputError: () => undefined })
    .option("--config <file>", "use this file only; can be repeated", collect)
    .option("--dialect <name>", "format of --config files, such as cursor (default: detected)")
    .option("--json", "print one JSON document to stdout")
    .option("--timeout <seconds>", "time for servers to start (default: 30)", (text) => readSeconds(text))
    .option("--quiet", "hide progress")
    .option("--verbose", "show stderr of servers and details")
    .option("--record <file>", "record messages with servers for replay")
    .option("--color", "use colours, also without a terminal")
    .option("--no-color", "use no colours");
  configureHelp(setPage(program, overview), terminal);
  for (const [heading, commands] of Object.entries(groups)) {
    for (const spec of commands) addCommand(program, spec, run).helpGroup(`${heading}:`);
  }
  return program;
}

const overview: Page = {
  does: "all your MCP servers, from a terminal",
  about: [
    "Servers come from your configuration files (hostside.json, Claude Code, Cursor, VS Code and others), or from --config. A URL, or a program after --, replaces them.",
    "hostside help COMMAND describes a command.",
  ],
  examples: {
    "hostside list": "all servers with their problems and tools",
    "hostside --config mcp.json list": "the same for one file",
  },
  json: "what the page of each command says",
};
