import type { Cancel } from "@toolport/core";
import type { ProcessGroup } from "./process-group.ts";

// One listener for all servers of this process: one per server would pass Node's warning for leaks at the eleventh.
const groups = new Set<ProcessGroup>();

/**
 * Sends SIGTERM to the group when this process ends by `process.exit()` or an uncaught exception, without having closed its servers.
 * Returns what takes it off the list; the listener on `process` lives only while the list has members.
 *
 * It is not all that protects from orphans: however this process ends, also by SIGKILL, a server's stdin ends with it.
 */
export function terminateOnExit(group: ProcessGroup): Cancel {
  if (groups.size === 0) process.on("exit", terminateAll);
  groups.add(group);
  return () => {
    if (groups.delete(group) && groups.size === 0) process.off("exit", terminateAll);
  };
}

function terminateAll(): void {
  for (const group of groups) group.terminate();
}
