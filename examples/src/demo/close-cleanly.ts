import { descendantsOf, readProcessTable, type ProcessEntry } from "./process-table.ts";
import { expectThat, type Stage } from "./demo-step.ts";

/**
 * Closes everything and looks for what is left: children, their children, and orphans of any
 * process group that was ours.
 */
export async function closeCleanly({ host, servers, printer }: Stage): Promise<void> {
  const before = descendantsOf(process.pid, await readProcessTable());
  const startedAt = performance.now();
  await host.close();
  await servers.close();
  const ms = Math.round(performance.now() - startedAt);

  const left = findLeft(before, await readProcessTable());
  for (const { pid, command } of left) printer.line(`still running: ${pid} ${command}`);
  expectThat(before.length > 0, "no child process was running: there was nothing to prove");
  expectThat(left.length === 0, `${left.length} processes are left`);
  printer.line(`${before.length} child processes before, none left after ${ms} ms`);
}

function findLeft(before: readonly ProcessEntry[], table: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const ours = new Set(before.map(({ pid }) => pid));
  // A server's process leads a group of its own; whatever it started is in that group, also when
  // its parent is gone.
  const groups = new Set(before.filter(({ pid, groupId }) => pid === groupId).map(({ groupId }) => groupId));
  const children = new Set(descendantsOf(process.pid, table).map(({ pid }) => pid));
  return table.filter(({ pid, groupId }) => ours.has(pid) || groups.has(groupId) || children.has(pid));
}
