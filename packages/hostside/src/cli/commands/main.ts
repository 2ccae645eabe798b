import { EndedSilently, exitCodes } from "../exit-codes.ts";
import { renderError, reportError } from "../program/render-error.ts";
import { printJson } from "../render/print.ts";
import { runCommandLine } from "./run-command-line.ts";
import { processTerminal } from "../terminal.ts";

// npm sends a signal on to what it runs, also where the terminal has sent it to both: what comes
// again so soon is the same one.
const sameSignalMs = 300;

/**
 * The program. A signal ends what is under way, and the process ends by itself when nothing of it
 * is left; the second signal does not wait: servers that are still there are killed then. A
 * closed output ends it like a signal, and is no failure.
 */
export async function main(): Promise<void> {
  const controller = new AbortController();
  let isDropped = false;
  const dropOutput = (): void => void (isDropped = true);
  const terminal = processTerminal({ signal: controller.signal, dropOutput });
  let isAsked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    let last = -Infinity;
    process.on(signal, () => {
      const now = performance.now();
      if (now - last < sameSignalMs) return;
      last = now;
      if (isAsked) process.exit(exitCodes.incomplete);
      isAsked = true;
      controller.abort();
    });
  }
  // `hostside list | head -1`, or a terminal that was closed. Without a listener, either would be
  // an uncaught exception.
  let isBroken = false;
  const giveUp = (error: Error): void => {
    // At once: of what is under way nobody knows whether it ends.
    if (!isBroken) {
      renderError(error, { terminal, options: { verbose: process.argv.includes("--verbose") } });
      if (process.argv.includes("--json")) printJson(terminal, { error: reportError(error) });
    }
    isBroken = true;
    process.exitCode = exitCodes.fail;
    controller.abort(new EndedSilently(exitCodes.fail));
  };
  terminal.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // EIO is a terminal that is gone. A disk that is full is no reader who has enough.
    if (error.code === "EPIPE" || error.code === "EIO") controller.abort(new EndedSilently(exitCodes.pass));
    else giveUp(error);
  });
  terminal.stderr.on("error", () => undefined);
  process.on("uncaughtException", giveUp);
  const exitCode = await runCommandLine(process.argv.slice(2), terminal);
  process.exitCode = isBroken ? exitCodes.fail : exitCode;
  // What is left in a pipe that nobody reads would keep the process for ever.
  if (isDropped) process.exit();
}
