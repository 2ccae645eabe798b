import type { CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { openHost } from "../host/open-host.ts";

/** Shows the servers, and the tools of those that are ready. */
export const listServers: CommandWork<{ readonly server: string | undefined }> = async ({ server }, context) => {
  await using host = await openHost(context, { only: server === undefined ? undefined : [server] });
  const statuses = host.toolport.statuses();
  for (const { id, state, toolCount } of statuses) context.terminal.out(`${id}  ${state}  ${toolCount} tools\n`);
  return statuses.every(({ state }) => state === "ready" || state === "disabled") ? exitCodes.pass : exitCodes.fail;
};
