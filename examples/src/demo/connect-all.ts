import type { ServerState, ServerStatus } from "@toolport/provider";
import type { Printer } from "./printer.ts";
import { expectThat, type Stage } from "./demo-step.ts";

const widths = [16, 7, 10, 9] as const;

/** Connects to all servers side by side and shows each as it gets ready. The one that cannot start holds up nobody. */
export async function connectAll({ provider, printer, servers }: Stage): Promise<void> {
  // The first that is heard of each: what failed is tried again in the background, and would show up twice.
  const outcomes = new Map<string, ServerState>();
  const progress = provider.onStatusChanged((status) => {
    const settled = status.state === "ready" || status.error !== undefined;
    if (!settled || outcomes.has(status.id)) return;
    outcomes.set(status.id, status.state);
    showStatus(status, printer);
  });
  await provider.init();
  progress();

  for (const { id } of servers.specs) {
    const expected = id === "inventory" ? "failed" : "ready";
    const outcome = outcomes.get(id) ?? "not heard of";
    expectThat(outcome === expected, `${id} should be ${expected} and is ${outcome}`);
  }
  printer.line(`${provider.definitions().length} tools of ${servers.specs.length - 1} servers in one catalogue`);
}

function showStatus({ id, state, server, toolCount, connectMs, listMs, error }: ServerStatus, printer: Printer): void {
  if (state === "ready" && server !== undefined) {
    const ms = Math.round((connectMs ?? 0) + (listMs ?? 0));
    printer.row([id, server.era, server.protocolVersion, `${toolCount} tools`, `${ms} ms`], widths, "green");
  } else if (error !== undefined) {
    printer.row([id, state, error.message.split("\n", 1).join("")], widths, "red");
    for (const line of lastLines(error.details.stderrTail)) printer.line(`    stderr: ${line}`, "dim");
  }
}

function lastLines(text = ""): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-3);
}
