import type { CommandContext, CommandWork, OpenedHost } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { knownServer } from "../opening/known-server.ts";
import { openHost } from "../opening/open-host.ts";
import { printJson, printLines } from "../render/print.ts";
import { renderServers } from "./render-servers.ts";
import { renderServerTools, renderToolGroups } from "./render-tools.ts";
import { describeServers, type Listing, type ListedServer } from "./server-report.ts";
import { followStart, startTimeoutMs } from "../opening/start-servers.ts";
import { problemLines } from "../opening/report-problems.ts";
import { fileWords } from "../render/render-text.ts";

/** Arguments of `list`. */
export interface ListArguments {
  readonly server: string | undefined;
  /** `true`: tools are shown. */
  readonly tools: boolean;
  /** `true`: descriptions are whole. */
  readonly long?: boolean | undefined;
  /** `true`: the file of each server is shown. */
  readonly where?: boolean | undefined;
}

/** Shows the servers as they come up, and the tools of those that did. */
export const listServers: CommandWork<ListArguments> = async (args, context) => {
  const { terminal, options } = context;
  const only = args.server === undefined ? undefined : [args.server];
  await using opened = await openHost(context, { only, off: "show", wait: false });
  const server = idOf(args.server, opened);
  const { end, lastLines } = await followStart(opened, context, server);
  const { host, provider } = opened;
  const listing = describeServers({
    config: host.config,
    statuses: host.statuses(),
    // Ctrl-C closes the host, and what is known is shown all the same.
    definitions: host.toolbox.tools(),
    quarantined: provider.quarantined(),
    waitedMs: end === "interrupted" ? undefined : startTimeoutMs(context),
    lastLines,
    server,
  });
  if (options.json === true) printJson(terminal, args.tools ? listing : { ...listing, tools: [] });
  else show(listing, { ...args, server }, context);
  return end === "interrupted" ? exitCodes.incomplete : listExitCode(listing, server);
};

// As its entry has it, however a person typed it.
function idOf(typed: string | undefined, { host: { config } }: OpenedHost): string | undefined {
  return typed === undefined || config === undefined ? typed : knownServer(config, typed).serverId;
}

function show(listing: Listing, { server, tools, long, where }: ListArguments, context: CommandContext): void {
  const { terminal, options } = context;
  const { columns, paint, cwd, home } = terminal;
  const common = fileWords(options);
  const { typed } = options;
  printLines(terminal, renderServers(listing, { columns, paint, cwd, home, where, common, typed }));
  // Errors, and with `--verbose` everything, were written when the host was opened. What is not
  // trusted stands among the servers.
  const warnings = listing.problems.filter(
    ({ severity, code }) => severity === "warning" && code !== "untrusted_server",
  );
  for (const line of options.verbose || options.quiet ? [] : problemLines(warnings, context)) terminal.err(`${line}\n`);
  if (!tools) return;
  if (server === undefined) printLines(terminal, renderToolGroups(listing, terminal));
  else printLines(terminal, renderServerTools(listing.tools, { columns, paint, long }));
}

/**
 * Returns the exit code of `list`: if every server that should be there is ready, or why the one
 * that was asked for is not. Pure.
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

const codes: Readonly<Record<ListedServer["state"], number>> = {
  ready: exitCodes.pass,
  disabled: exitCodes.fail,
  invalid: exitCodes.usage,
  "needs-auth": exitCodes.authRequired,
  late: exitCodes.unreachable,
  failed: exitCodes.unreachable,
  down: exitCodes.unreachable,
};

function exitCodeOfOne(server: ListedServer | undefined): number {
  const code = server === undefined ? exitCodes.fail : codes[server.state];
  return code === exitCodes.unreachable && server?.error?.kind === "auth" ? exitCodes.authRequired : code;
}
