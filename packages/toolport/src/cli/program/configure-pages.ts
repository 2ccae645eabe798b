import type { Command } from "commander";
import type { Terminal } from "../terminal.ts";

/** Makes help of pages: wrapped at the width of the terminal, plain where nobody sees colours. */
export function configurePages(program: Command, terminal: Terminal): void {
  program.configureOutput({ getOutHelpWidth: () => terminal.columns, getErrHelpWidth: () => terminal.columns });
}
