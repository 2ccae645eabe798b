import { createHost } from "hostside";
import { callEach } from "./call-each.ts";
import { closeCleanly } from "./close-cleanly.ts";
import { prepareServers } from "./demo-servers.ts";
import type { Stage } from "./demo-step.ts";
import { findATool } from "./find-a-tool.ts";
import { noticeANewTool } from "./notice-a-new-tool.ts";
import type { Printer } from "./printer.ts";
import { callOnce, listServers } from "./run-commands.ts";
import { showDefinitions, showGroups } from "./show-catalog.ts";
import { showStatuses } from "./show-statuses.ts";
import { surviveAKill } from "./survive-a-kill.ts";

type Steps<Needs> = readonly (readonly [title: string, step: (stage: Needs) => Promise<void>])[];

const onTheCommandLine: Steps<Omit<Stage, "host">> = [
  ["One file, eight servers, one command: hostside list", listServers],
  ["A call from the command line", callOnce],
];

const inAProgram: Steps<Stage> = [
  ["The same file in a program: createHost()", showStatuses],
  ["Groups: what there is, at a glance", showGroups],
  ["A few definitions, as a model gets them", showDefinitions],
  ["A model's way in: groups, a group's schemas, a call", findATool],
  ["A call on each server", callEach],
  ["Kill a server, and call it again", surviveAKill],
  ["A server adds a tool", noticeANewTool],
  ["Close, and leave nothing behind", closeCleanly],
];

/**
 * Runs every step, also after one that failed, so that the last one always closes. Resolves with
 * whether all passed.
 */
export async function runDemo(printer: Printer): Promise<boolean> {
  const startedAt = performance.now();
  const servers = await prepareServers();
  const count = onTheCommandLine.length + inAProgram.length;
  const failed: string[] = [];
  let number = 0;
  const runAll = async <Needs>(steps: Steps<Needs>, stage: Needs): Promise<void> => {
    for (const [title, step] of steps) {
      printer.heading(`${++number}. ${title}`);
      try {
        await step(stage);
      } catch (error) {
        failed.push(title);
        printer.line(`FAILED: ${error instanceof Error ? error.message : String(error)}`, "red");
      }
    }
  };
  try {
    await runAll(onTheCommandLine, { servers, printer });
    // "debounced" lists again by itself when a server says that its tools changed; the default
    // waits for the next call.
    const host = await createHost({ config: servers.configFile, provider: { refresh: "debounced" } });
    await runAll(inAProgram, { servers, printer, host });
  } finally {
    await servers.close();
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const verdict = failed.length === 0 ? "all steps passed" : `${failed.length} of ${count} steps failed`;
  printer.heading(`${verdict} in ${seconds} s`);
  return failed.length === 0;
}
