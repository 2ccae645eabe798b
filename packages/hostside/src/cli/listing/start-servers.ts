import type { ServerStatus } from "@hostside/provider";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { followServers, type FollowEnd, type Patience } from "./follow-servers.ts";
import { installersOf, longestInstallMs } from "../opening/installers.ts";

/** Whose start is waited for, and who hears of it. */
export interface StartOptions {
  /** Only this one. Default: all. */
  readonly server?: string | undefined;
  /**
   * Called as servers come up or fail. Default: a line on stderr for each, unless nobody wants
   * progress.
   */
  readonly onSettled?: ((status: ServerStatus) => void) | undefined;
}

/** How long servers may take to come up, in milliseconds. */
export function startTimeoutMs({ options }: Pick<CommandContext, "options">): number {
  return (options.timeout ?? 30) * 1000;
}

/**
 * Waits until the servers of a host that was opened with `wait: false` came up or failed, those as
 * well that start only when they are needed.
 */
export async function followStart(
  { host, provider }: OpenedHost,
  context: CommandContext,
  { server, onSettled: given }: StartOptions = {},
): Promise<FollowEnd> {
  const { signal } = context.terminal;
  const isMeant = (id: string): boolean => server === undefined || id === server;
  const meant = host.statuses().filter(({ id, state }) => isMeant(id) && state !== "disabled");
  const onSettled = given ?? progressOn(context, meant.length);
  const timeoutMs = startTimeoutMs(context);
  const patience = installPatience({ host, provider }, context);
  const followed = followServers(host, { timeoutMs, signal, isMeant, onSettled, patience });
  for (const { id, state } of meant) {
    // Its status says how it ends.
    if (state === "idle") provider.refreshServer(id, { signal }).catch(() => undefined);
  }
  return await followed;
}

/** What a program wrote last on stderr, by the id of its server. */
export function followStderr(provider: OpenedHost["provider"]): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  provider.onServerLog(({ serverId, source, text }) => {
    if (source === "stderr" && text.trim() !== "") latest.set(serverId, text);
  });
  return latest;
}

// Whoever says how long waits no longer.
function installPatience(
  { host, provider }: Pick<OpenedHost, "host" | "provider">,
  { terminal, options }: CommandContext,
): Patience | undefined {
  if (options.timeout !== undefined) return undefined;
  const installers = installersOf(host.config);
  const latest = followStderr(provider);
  return {
    isMeant: (id) => installers.has(id),
    timeoutMs: longestInstallMs,
    onWait(ids) {
      if (options.quiet === true) return;
      for (const id of ids) {
        const said = latest.get(id);
        const tail = said === undefined ? "" : `: ${terminalLine(said, 200)}`;
        terminal.err(`${terminalLine(id, 200)} is still installing${tail}; --timeout SECONDS ends the wait\n`);
      }
    },
  };
}

function progressOn({ terminal, options }: CommandContext, total: number): (status: ServerStatus) => void {
  let done = 0;
  return ({ id, state }) => {
    if (options.quiet === true || state === "disabled") return;
    done += 1;
    terminal.err(
      terminal.paintErr("dim", `${done} of ${formatCount(total, "server")}: ${terminalLine(id, 200)} ${state}\n`),
    );
  };
}
