import type { Cancel } from "@hostside/core";
import type { ProcessGroup } from "./process-group.ts";

/** What can be ended as a whole. */
export type EndableGroup = Pick<ProcessGroup, "kill" | "terminate">;

// One listener for all servers of this process: one per server would pass Node's warning for leaks
// at the eleventh.
const groups = new Map<EndableGroup, () => boolean>();

/**
 * Sends a signal to the group when this process ends by `process.exit()` or an uncaught exception,
 * and the group is still there: SIGTERM, or SIGKILL where it `isClosing` already, because then
 * nobody is there any more who would send that in the end. Returns what takes it off the list; the
 * listener on `process` lives only while the list has members.
 *
 * It is not all that protects from orphans: however this process ends, also by SIGKILL, a server's
 * stdin ends with it.
 */
export function terminateOnExit(group: EndableGroup, isClosing: () => boolean): Cancel {
  if (groups.size === 0) process.on("exit", terminateAll);
  groups.set(group, isClosing);
  return () => {
    if (groups.delete(group) && groups.size === 0) process.off("exit", terminateAll);
  };
}

function terminateAll(): void {
  for (const [group, isClosing] of groups) {
    if (isClosing()) group.kill();
    else group.terminate();
  }
}
