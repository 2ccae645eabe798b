#!/usr/bin/env node
// The program: `npx @hostside/conformance server -- node my-server.js`.
import { exitCodes } from "../engine/run-report.ts";
import { processIo } from "./command-io.ts";
import { runCommand } from "./run-command.ts";

const controller = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // The second time nothing is waited for; what the kit has started is killed on "exit".
    if (controller.signal.aborted) process.exit(exitCodes.incomplete);
    controller.abort();
  });
}
process.exitCode = await runCommand(process.argv.slice(2), processIo(controller.signal));
