import { createProvider } from "@toolport/provider";
import { createConnector } from "@toolport/transports";
import { callEach } from "./call-each.ts";
import { closeCleanly } from "./close-cleanly.ts";
import { connectAll } from "./connect-all.ts";
import { prepareServers } from "./demo-servers.ts";
import { findATool } from "./find-a-tool.ts";
import { noticeANewTool } from "./notice-a-new-tool.ts";
import type { Printer } from "./printer.ts";
import { showDefinitions, showGroups } from "./show-catalog.ts";
import type { Stage, Step } from "./demo-step.ts";
import { surviveAKill } from "./survive-a-kill.ts";

const steps: readonly (readonly [title: string, step: Step])[] = [
  ["Connect to eight servers, side by side", connectAll],
  ["Groups: what there is, at a glance", showGroups],
  ["A few definitions, as a model gets them", showDefinitions],
  ["A model's way in: groups, a group's schemas, a call", findATool],
  ["A call on each server", callEach],
  ["Kill a server, and call it again", surviveAKill],
  ["A server adds a tool", noticeANewTool],
  ["Close, and leave nothing behind", closeCleanly],
];

/** Runs every step, also after one that failed, so that the last one always closes. Resolves with whether all passed. */
export async function runDemo(printer: Printer): Promise<boolean> {
  const startedAt = performance.now();
  const servers = await prepareServers();
  // "debounced" lists again by itself when a server says that its tools changed; the default waits for the next call.
  const provider = createProvider({ connector: createConnector(), servers: servers.specs, refresh: "debounced" });
  const stage: Stage = { provider, servers, printer };

  const failed: string[] = [];
  for (const [index, [title, step]] of steps.entries()) {
    printer.heading(`${index + 1}. ${title}`);
    try {
      await step(stage);
    } catch (error) {
      failed.push(title);
      printer.line(`FAILED: ${error instanceof Error ? error.message : String(error)}`, "red");
    }
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const verdict = failed.length === 0 ? "all steps passed" : `${failed.length} of ${steps.length} steps failed`;
  printer.heading(`${verdict} in ${seconds} s`);
  return failed.length === 0;
}
