import { HostsideError, type ServerSpec } from "@hostside/core";
import type { StdioContext } from "./open-stdio.ts";
import type { StdioTransport } from "./stdio-transport.ts";

/**
 * Replaces `open-stdio.ts` in JavaScript runtimes without child processes: browsers, edge workers.
 * Always throws `unsupported_transport`.
 */
export async function openStdio(spec: ServerSpec, _context: StdioContext): Promise<StdioTransport> {
  throw new HostsideError(
    `server ${JSON.stringify(spec.id)}: this JavaScript runtime cannot start processes; reach the server over HTTP`,
    { code: "unsupported_transport", serverId: spec.id },
  );
}

/** One at a time, because none can be started. */
export function defaultStartLimit(): number {
  return 1;
}
