import { clock } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import type { Host } from "../../host.ts";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { installersOf, longestInstallMs } from "../opening/installers.ts";

/** How long servers may take to come up, in milliseconds. */
export function startTimeoutMs({ options }: Pick<CommandContext, "options">): number {
  return (options.timeout ?? 30) * 1000;
}

/**
 * Waits until the servers of a host that was opened with `wait: false` came up or failed, those as
 * well that start only when they are needed. `server`: only this one. `onSettled` is called as they
 * do so; by default, a line on stderr says it.
 */
export async function followStart(
  opened: OpenedHost,
  context: CommandContext,
  { server, onSettled: given }: { readonly server?: string | undefined; readonly onSettled?: () => void } = {},
): Promise<FollowEnd> {
  const { host, provider } = opened;
  const { signal } = context.terminal;
  const isMeant = (id: string): boolean => server === undefined || id === server;
  const meant = host.statuses().filter(({ id, state }) => isMeant(id) && state !== "disabled");
  const onSettled = given ?? progressOn(context, meant.length);
  const timeoutMs = startTimeoutMs(context);
  const patience = installPatience(opened, context);
  const followed = followServers(host, { timeoutMs, signal, isMeant, onSettled, patience });
  for (const { id, state } of meant) {
    // Its status says how it ends.
    if (state === "idle") provider.refreshServer(id, { signal }).catch(() => undefined);
  }
  return await followed;
}

/** Collects the last line of each program on stderr, by the id of its server. */
export function followStderr(provider: OpenedHost["provider"]): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  provider.onServerLog(({ serverId, source, text }) => {
    if (source === "stderr" && text.trim() !== "") latest.set(serverId, text);
  });
  return latest;
}

// A person who says how long waits no longer.
function installPatience(
  { host, provider }: OpenedHost,
  { terminal, options }: CommandContext,
): FollowOptions["patience"] {
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

/**
 * Why nobody looks on any more: all servers came up or failed, some are late, or somebody pressed
 * Ctrl-C.
 */
export type FollowEnd = "settled" | "late" | "interrupted";

/** How servers are followed. */
export interface FollowOptions {
  /** How long they may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Selects servers. Default: all. */
  readonly isMeant?: ((serverId: string) => boolean) | undefined;
  /**
   * Called for each that came up or failed, as it does so; and at once for those that did before.
   */
  readonly onSettled?: ((status: ServerStatus) => void) | undefined;
  /**
   * Servers that may take `timeoutMs` longer. `onWait` is called once if some do. Default: none.
   */
  readonly patience?:
    | {
        readonly isMeant: (serverId: string) => boolean;
        readonly timeoutMs: number;
        readonly onWait: (serverIds: readonly string[]) => void;
      }
    | undefined;
}

function isSettled(state: ServerState): boolean {
  return state !== "idle" && state !== "connecting";
}

/**
 * Waits until each server came up or failed once, and no longer than that: a server that hangs
 * costs the others nothing.
 */
export function followServers(
  { statuses, onStatusChanged }: Pick<Host, "statuses" | "onStatusChanged">,
  { timeoutMs, signal, isMeant = () => true, onSettled, patience }: FollowOptions,
): Promise<FollowEnd> {
  const waiting = new Set<string>();
  let isPatient = false;
  const isOver = (): boolean => !Array.from(waiting).some((id) => !isPatient || patience?.isMeant(id) === true);
  const settle = (status: ServerStatus): void => {
    waiting.delete(status.id);
    onSettled?.(status);
  };
  return new Promise((resolve) => {
    const end = (how: FollowEnd): void => {
      stopListening();
      cancel();
      signal.removeEventListener("abort", interrupt);
      resolve(how);
    };
    const interrupt = (): void => end("interrupted");
    const stopListening = onStatusChanged((status) => {
      if (!waiting.has(status.id) || !isSettled(status.state)) return;
      settle(status);
      if (isOver()) end(waiting.size === 0 ? "settled" : "late");
    });
    let cancel = clock.schedule(timeoutMs, () => {
      isPatient = true;
      if (patience === undefined || isOver()) return end("late");
      cancel = clock.schedule(patience.timeoutMs, () => end("late"));
      patience.onWait(Array.from(waiting).filter((id) => patience.isMeant(id)));
    });
    signal.addEventListener("abort", interrupt);
    for (const status of statuses().filter(({ id }) => isMeant(id))) {
      if (isSettled(status.state)) onSettled?.(status);
      else waiting.add(status.id);
    }
    if (signal.aborted) interrupt();
    else if (waiting.size === 0) end("settled");
  });
}
