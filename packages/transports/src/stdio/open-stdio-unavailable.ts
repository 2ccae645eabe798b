import { HostsideError, type ServerSpec } from "@hostside/core";
import type { StartedServer, StdioContext } from "./start-server.ts";
import type { StdioTransport } from "./stdio-transport.ts";

/**
 * Stands in for `open-stdio.ts` in JavaScript runtimes without child processes: browsers, edge
 * workers. Always throws `unsupported_transport`.
 */
export async function openStdio(
  spec: ServerSpec,
  _context: StdioContext,
  _started?: StartedServer,
): Promise<StdioTransport> {
  throw new HostsideError(
    `server ${JSON.stringify(spec.id)}: this JavaScript runtime cannot start processes; reach the server over HTTP`,
    { code: "unsupported_transport", serverId: spec.id },
  );
}
