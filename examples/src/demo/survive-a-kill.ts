import type { ToolOutcome } from "@hostside/core";
import { firstEvent } from "./first-event.ts";
import { descendantsOf, readProcessTable } from "./process-table.ts";
import { expectThat, localNameOf, textOf, type Stage } from "./demo-step.ts";

const program = "server-memory";

/**
 * Kills the memory server as a crash would, and calls it again: the call starts it once more and
 * finds what it had stored.
 */
export async function surviveAKill({ host, printer }: Stage): Promise<void> {
  const [before] = await findProcesses();
  expectThat(before !== undefined, `no process runs ${program}`);
  const name = localNameOf(host, "memory", "read_graph");

  const down = firstEvent(host.onStatusChanged, ({ id, state }) => id === "memory" && state === "down");
  process.kill(before, "SIGKILL");
  const status = await down;
  expectThat(status !== undefined, "nobody noticed that the process is gone");
  printer.line(`killed process ${before}; memory is ${status.state}, its ${status.toolCount} tools stay on offer`);

  const call = (): Promise<ToolOutcome> => host.call(name, {}, { timeoutMs: 15_000 });
  // Two callers at once share the one process that is started for them.
  const [first, second] = await Promise.all([call(), call()]);
  const after = await findProcesses();
  printer.line(`${name} works again, on process ${after.join(" and ")}: ${textOf(first)}`);
  expectThat(after.length === 1 && after[0] !== before, `expected one new process, found ${after.join(", ")}`);
  expectThat(textOf(first).includes("Hostside"), "memory forgot what it had stored");
  expectThat(textOf(first) === textOf(second), "the two callers got different answers");
}

async function findProcesses(): Promise<readonly number[]> {
  const mine = descendantsOf(process.pid, await readProcessTable());
  return mine.filter(({ command }) => command.includes(program)).map(({ pid }) => pid);
}
