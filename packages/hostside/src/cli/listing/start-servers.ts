import type { ServerStatus } from "@hostside/provider";
import type { CommandContext } from "../command-context.ts";
import type { OpenedHost } from "../opening/opened-host.ts";
import { formatCount } from "../render/format-amount.ts";
import { terminalLine } from "../render/one-line.ts";
import { followServers, type FollowEnd } from "./follow-servers.ts";

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
  const followed = followServers(host, { timeoutMs: startTimeoutMs(context), signal, isMeant, onSettled });
  for (const { id, state } of meant) {
    // Its status says how it ends.
    if (state === "idle") provider.refreshServer(id, { signal }).catch(() => undefined);
  }
  return await followed;
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
