import type { ServerSpec } from "@hostside/core";
import type { StartedServer, StdioContext } from "./start-server.ts";

/**
 * Stands in for that of `start-first.ts` in JavaScript runtimes without child processes: nothing
 * was started.
 */
export async function startFirst(_spec: ServerSpec, _context: StdioContext): Promise<StartedServer | undefined> {
  return undefined;
}

/** One at a time, of what cannot be started. */
export function defaultStartLimit(): number {
  return 1;
}
