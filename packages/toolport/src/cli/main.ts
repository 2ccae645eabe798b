import { exitCodes } from "./exit-codes.ts";
import { createInterrupts } from "./interrupts.ts";
import { OutputClosed } from "./output-closed.ts";
import { renderError } from "./program/render-error.ts";
import { runCommandLine } from "./run-command-line.ts";
import { processTerminal } from "./terminal.ts";

/**
 * The program. A signal ends what is under way, and the process ends by itself when nothing of it is left; the second signal does not wait: servers get SIGTERM then. Nobody
 * who reads the output is as good as a signal, and no failure.
 */
export async function main(): Promise<void> {
  const controller = new AbortController();
  const { onInterrupt, interrupt } = createInterrupts();
  const terminal = processTerminal({ signal: controller.signal, onInterrupt });
  let isAsked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (signal === "SIGINT" && interrupt()) return;
      if (isAsked) process.exit(exitCodes.incomplete);
      isAsked = true;
      controller.abort();
    });
  }
  // `toolport list | head -1`, or a terminal that was closed. Without a listener, either would be an uncaught exception.
  let isBroken = false;
  const giveUp = (error: Error): void => {
    if (!isBroken) renderError(error, { terminal, options: {} });
    isBroken = true;
    process.exitCode = exitCodes.fail;
    controller.abort();
  };
  terminal.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // EIO is a terminal that is gone. A disk that is full is no reader who has enough.
    if (error.code === "EPIPE" || error.code === "EIO") controller.abort(new OutputClosed());
    else giveUp(error);
  });
  terminal.stderr.on("error", () => undefined);
  process.on("uncaughtException", giveUp);
  const exitCode = await runCommandLine(process.argv.slice(2), terminal);
  process.exitCode = isBroken ? exitCodes.fail : exitCode;
}
