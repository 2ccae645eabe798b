import { exitCodes } from "./exit-codes.ts";
import { runCommandLine } from "./run-command-line.ts";
import { processTerminal } from "./terminal.ts";

/** The program. Ctrl-C ends what is under way and waits until nothing is left; the second one does not wait. */
export async function main(): Promise<void> {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exitCodes.incomplete);
      controller.abort();
    });
  }
  process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal(controller.signal));
}
