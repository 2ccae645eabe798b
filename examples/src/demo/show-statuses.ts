import type { ServerStatus } from "@hostside/provider";
import type { Printer } from "./printer.ts";
import { expectThat, type Stage } from "./demo-step.ts";

const widths = [16, 7, 10, 9] as const;

/** Shows how each server came up. The one that cannot start held up nobody. */
export async function showStatuses({ host, printer, servers }: Stage): Promise<void> {
  const statuses = host.statuses();
  for (const status of statuses) showStatus(status, printer);
  for (const id of servers.ids) {
    const status = statuses.find((one) => one.id === id);
    expectThat(status !== undefined, `${id} is not there`);
    // What failed may be tried once more in the background just now, and has its error all the
    // same.
    const isAsExpected = id === "inventory" ? status.error !== undefined : status.state === "ready";
    expectThat(isAsExpected, `${id} is ${status.state}`);
  }
  const tools = host.tools().filter(({ origin }) => servers.ids.includes(origin?.serverId ?? ""));
  printer.line(`${tools.length} tools of ${servers.ids.length - 1} servers in one catalogue`);
}

function showStatus({ id, state, server, toolCount, connectMs, listMs, error }: ServerStatus, printer: Printer): void {
  if (state === "ready" && server !== undefined) {
    const ms = Math.round((connectMs ?? 0) + (listMs ?? 0));
    printer.row([id, server.era, server.protocolVersion, `${toolCount} tools`, `${ms} ms`], widths, "green");
  } else if (error !== undefined) {
    printer.row([id, "failed", error.message.split("\n", 1).join("")], widths, "red");
    for (const line of lastLines(error.details.stderrTail)) printer.line(`    stderr: ${line}`, "dim");
  }
}

function lastLines(text = ""): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-3);
}
