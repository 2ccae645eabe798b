#!/usr/bin/env node
// The program: `npx @hostside/conformance server -- node my-server.js`.
import { exitCodes } from "../engine/run-report.ts";
import { processIo } from "./command-io.ts";
import { runCommand } from "./run-command.ts";

const args = process.argv.slice(2);
// In the place of a server: signals reach it, or end it, as they would the server.
if (["play", "record"].includes(args[0] ?? "")) {
  await (await import("../replay/run-replay-command.ts")).runReplayCommand(args);
} else {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // The second time nothing is waited for; what the kit has started is killed on "exit".
      if (controller.signal.aborted) process.exit(exitCodes.incomplete);
      controller.abort();
    });
  }
  process.exitCode = await runCommand(args, processIo(controller.signal));
}
