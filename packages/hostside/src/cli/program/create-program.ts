import { createRequire } from "node:module";
import { Command } from "commander";
import { allCommands } from "../commands/all-commands.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Terminal } from "../terminal.ts";
import { addGlobalOptions, configurePages, describePage, type Page } from "./configure-pages.ts";
import type { CommandRun, RunLine } from "./declare.ts";

/**
 * The program with every command. It throws a `CommanderError` where it would end the process, and
 * writes nothing but help and its version.
 */
export function createProgram(terminal: Terminal, run: CommandRun, runLine: RunLine): Command {
  const program = new Command("hostside")
    .description("All your MCP servers, from a terminal.")
    .usage("COMMAND [arguments] [options]")
    .version(readVersion(), "-v, --version", "the version of hostside")
    .helpOption("-h, --help", "what a command does, with examples")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err, outputError: () => undefined });
  addGlobalOptions(program);
  describePage(program, overview);
  configurePages(program, terminal);
  for (const declare of allCommands) declare(program, run, runLine);
  return program;
}

const overview: Page = {
  purpose: "More",
  about: [
    "Servers come from the configurations that you have (hostside.json, and those of Claude Code, Cursor, VS Code and others), or from the files of --config. A URL, or a program behind --, is used in place of them.",
  ],
  examples: [
    { line: "hostside list", does: "every server with what is wrong with it, and its tools" },
    { line: "hostside --config mcp.json list", does: "the same for one file" },
  ],
  json: "what the page of each command says; of help and --version { text }",
  exits: {
    [exitCodes.incomplete]: "not everything could be done, or it was interrupted",
    [exitCodes.fail]: "a tool failed, a server is not well, or a check found something",
    [exitCodes.unreachable]: "a server could not be reached",
    [exitCodes.authRequired]: "somebody has to sign in first",
  },
};

// By its name, because built files lie elsewhere than sources.
function readVersion(): string {
  const { version } = createRequire(import.meta.url)("hostside/package.json") as { readonly version: string };
  return version;
}
