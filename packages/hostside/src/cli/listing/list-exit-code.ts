import { exitCodes } from "../exit-codes.ts";
import type { ListedServer, Listing } from "./server-report.ts";

/**
 * What `list` exits with: whether every server that should be there is, or why the one that was
 * asked for is not. Pure.
 */
export function listExitCode({ servers, problems }: Pick<Listing, "servers" | "problems">, server?: string): number {
  if (server !== undefined) return exitCodeOfOne(servers.find(({ id }) => id === server));
  const isWell = servers.every(
    ({ state, undecided }) => state === "ready" || (state === "disabled" && undecided !== true),
  );
  // A file that cannot be read had servers in it, as far as anybody knows.
  const isWhole = problems.every(({ severity, serverId }) => severity === "warning" || serverId !== undefined);
  return isWell && isWhole ? exitCodes.pass : exitCodes.fail;
}

function exitCodeOfOne(server: ListedServer | undefined): number {
  switch (server?.state) {
    case "ready":
      return exitCodes.pass;
    case "invalid":
      return exitCodes.usage;
    case "needs-auth":
      return exitCodes.authRequired;
    case "late":
    case "failed":
    case "down":
      return server.error?.kind === "auth" ? exitCodes.authRequired : exitCodes.unreachable;
    case "disabled":
    case undefined:
      return exitCodes.fail;
  }
}
