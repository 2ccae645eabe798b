import { createRequire } from "node:module";
import { Command } from "commander";
import { allCommands } from "../commands/all-commands.ts";
import type { Terminal } from "../terminal.ts";
import { configurePages } from "./configure-pages.ts";
import type { Run } from "./declare.ts";
import { addGlobalOptions } from "./global-options.ts";

/** The program with every command. It throws a `CommanderError` where it would end the process, and writes nothing but help and its version. */
export function createProgram(terminal: Terminal, run: Run): Command {
  const program = new Command("toolport")
    .description("All your MCP servers, from a terminal.")
    .usage("COMMAND [arguments] [options]")
    .version(readVersion(), "-v, --version", "the version of toolport")
    .helpOption("-h, --help", "what a command does, with examples")
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err, outputError: () => undefined });
  addGlobalOptions(program);
  configurePages(program, terminal);
  for (const declare of allCommands) declare(program, run);
  return program;
}

// By its name, because built files lie elsewhere than sources.
function readVersion(): string {
  const { version } = createRequire(import.meta.url)("toolport/package.json") as { readonly version: string };
  return version;
}
