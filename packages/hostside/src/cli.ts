// The command line: `npx hostside`. `runCommandLine` is it as a function, for whoever has a program
// of their own around it.
export { main } from "./cli/commands/main.ts";
export { runCommandLine } from "./cli/commands/run-command-line.ts";
export { exitCodes } from "./cli/exit-codes.ts";
export type { Terminal } from "./cli/terminal.ts";
