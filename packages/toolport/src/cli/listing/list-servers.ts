import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Host } from "../host/host.ts";
import { openHost } from "../host/open-host.ts";
import { nearNames } from "../program/near-names.ts";
import { showLiveLines } from "../render/live-lines.ts";
import { usageError } from "../usage-error.ts";
import type { FollowEnd } from "./follow-servers.ts";
import { listExitCode } from "./list-exit-code.ts";
import { renderProblems } from "./render-problems.ts";
import { renderFrame, renderServers } from "./render-servers.ts";
import { renderServerTools, renderToolGroups } from "./render-tools.ts";
import { describeServers, type Listing } from "./server-report.ts";
import { startServers, startTimeoutMs } from "./start-servers.ts";

/** Arguments of `list`. */
export interface ListArguments {
  readonly server: string | undefined;
  /** Whether tools are shown. */
  readonly tools: boolean;
  /** Whether descriptions are whole. */
  readonly long: boolean;
  /** Whether the file of each server is shown. */
  readonly where: boolean;
}

/** Shows the servers as they come up, and the tools of those that did. */
export const listServers: CommandWork<ListArguments> = async (args, context) => {
  const { server } = args;
  const { terminal, options } = context;
  await using host = await openHost(context, { only: server === undefined ? undefined : [server], wait: false });
  if (server !== undefined) assertKnownServer(server, host);
  const end = await lookOn(host, context, server);
  const { toolport } = host;
  const listing = describeServers({
    config: toolport.config,
    statuses: toolport.statuses(),
    definitions: toolport.definitions(),
    quarantined: toolport.provider.quarantined(),
    timeoutMs: startTimeoutMs(context),
    server,
  });
  if (options.json === true)
    terminal.out(`${JSON.stringify(args.tools ? listing : { ...listing, tools: [] }, undefined, 2)}\n`);
  else show(listing, args, context);
  return end === "interrupted" ? exitCodes.incomplete : listExitCode(listing, server);
};

/** Throws a usage error with near names for a server that nobody has configured. */
export function assertKnownServer(server: string, { toolport }: Host): void {
  const ids = [
    ...toolport.statuses().map(({ id }) => id),
    ...(toolport.config?.sources ?? []).map(({ serverId }) => serverId),
  ];
  if (ids.includes(server)) return;
  const near = nearNames(server, ids);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "toolport list shows all servers.";
  throw usageError(`no server ${JSON.stringify(server)} is configured`, hint);
}

/** Waits for the servers, and shows how far they are: on a live terminal in place, else as lines on stderr. */
async function lookOn(host: Host, context: CommandContext, server: string | undefined): Promise<FollowEnd> {
  const { terminal, options } = context;
  const { toolport } = host;
  if (!terminal.isLive || options.json === true || options.quiet === true)
    return await startServers(host, context, { server });
  const live = showLiveLines(terminal, (frame) => {
    const { config } = toolport;
    const statuses = toolport.statuses();
    // Of what is known of tools nothing shows here.
    const parts = { config, statuses, definitions: [], quarantined: [], timeoutMs: startTimeoutMs(context), server };
    return renderFrame(describeServers(parts).servers, { ...frame, paint: terminal.paint });
  });
  try {
    return await startServers(host, context, { server, onSettled: () => live.draw() });
  } finally {
    live.end();
  }
}

function show(
  listing: Listing,
  { server, tools, long, where }: ListArguments,
  { terminal, options }: CommandContext,
): void {
  const { columns, paint, cwd, home } = terminal;
  const common = (options.config ?? []).flatMap((file) => ["--config", file]);
  const print = (lines: readonly string[]): void => terminal.out(lines.map((line) => `${line}\n`).join(""));
  print(renderServers(listing, { columns, paint, cwd, home, where, common }));
  // Of what is not trusted its own line has said so.
  const untrusted = new Set(listing.servers.filter(({ off }) => off === "untrusted").map(({ id }) => id));
  const problems = listing.problems.filter(
    ({ code, serverId = "" }) => code !== "untrusted_server" || !untrusted.has(serverId),
  );
  for (const line of renderProblems(problems, terminal)) terminal.err(`${line}\n`);
  if (!tools) return;
  print(
    server === undefined
      ? renderToolGroups(listing, terminal)
      : renderServerTools(listing.tools, { columns, paint, long }),
  );
}
