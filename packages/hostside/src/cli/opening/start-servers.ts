import { clock } from "@hostside/core/implement";
import type { ServerState, ServerStatus } from "@hostside/provider";
import type { Host } from "../../contract/host.ts";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { createStatusLine } from "../render/status-line.ts";
import { installersOf, longestInstallMs } from "./installers.ts";

/** How long servers may take to come up, in milliseconds. */
export function startTimeoutMs({ options }: Pick<CommandContext, "options">): number {
  return (options.timeout ?? 30) * 1000;
}

/**
 * Waits until the servers of a host that was opened with `wait: false` came up or failed, those as
 * well that start only when they are needed. `server`: only this one. Stderr says it of each: in a
 * status line, else in a line each.
 */
export async function followStart(opened: OpenedHost, context: CommandContext, server?: string): Promise<FollowEnd> {
  const { host, provider } = opened;
  const { terminal, options } = context;
  const { signal } = terminal;
  const isMeant = (id: string): boolean => server === undefined || id === server;
  const meant = host.statuses().filter(({ id, state }) => isMeant(id) && state !== "disabled");
  const line = createStatusLine(terminal, options);
  const isReplacing = line.canReplace && options.json !== true;
  if (isReplacing) line.show(`0 of ${formatCount(meant.length, "server")}`);
  let done = 0;
  const onSettled = ({ id, state }: ServerStatus): void => {
    if (options.quiet === true || state === "disabled") return;
    done += 1;
    const shown = `${done} of ${formatCount(meant.length, "server")}: ${terminalLine(id, 200)} ${state}`;
    if (isReplacing) line.show(shown);
    else terminal.err(`${terminal.paintErr("dim", shown)}\n`);
  };
  const patience = installPatience(opened, context, () => line.end());
  const following = followServers(host, { timeoutMs: startTimeoutMs(context), signal, isMeant, onSettled, patience });
  for (const { id, state } of meant) {
    // Its status says how it ends.
    if (state === "idle") provider.refreshServer(id, { signal }).catch(() => undefined);
  }
  const end = await following;
  line.end();
  return end;
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
  beforeLines: () => void,
): FollowOptions["patience"] {
  if (options.timeout !== undefined) return undefined;
  const installers = installersOf(host.config);
  const latest = followStderr(provider);
  return {
    isMeant: (id) => installers.has(id),
    timeoutMs: longestInstallMs,
    onWait(ids) {
      if (options.quiet === true) return;
      beforeLines();
      for (const id of ids) {
        const said = latest.get(id);
        const tail = said === undefined ? "" : `: ${terminalLine(said, 200)}`;
        terminal.err(`${terminalLine(id, 200)} is still installing${tail}; --timeout SECONDS ends the wait\n`);
      }
    },
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
