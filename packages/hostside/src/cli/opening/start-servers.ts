import { pause } from "@hostside/core/implement";
import type { ServerStatus } from "@hostside/provider";
import type { CommandContext, OpenedHost } from "../command-context.ts";
import { formatCount } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { createStatusLine } from "../render/status-line.ts";
import { longestInstallMs, mayInstall } from "./installers.ts";

/** How long servers may take to come up, in milliseconds. */
export function startTimeoutMs({ options }: Pick<CommandContext, "options">): number {
  return (options.timeout ?? 30) * 1000;
}

/** The end of a start. */
export interface StartEnd {
  /** All servers came up or failed, some are late, or somebody pressed Ctrl-C. */
  readonly end: "settled" | "late" | "interrupted";
  /** The last line of each program on stderr, by the id of its server. */
  readonly lastLines: ReadonlyMap<string, string>;
}

/**
 * Waits until each server of a host that was opened with `wait: false` came up or failed once,
 * those as well that start only when they are needed. What may have to be installed first has more
 * time, unless the person says how much. `server`: only this one. Stderr says it of each: in a
 * status line, else in a line each.
 */
export async function followStart(
  {
    host,
    provider,
  }: Pick<OpenedHost, "provider"> & {
    readonly host: Pick<OpenedHost["host"], "config" | "statuses" | "onStatusChanged">;
  },
  context: CommandContext,
  server?: string,
): Promise<StartEnd> {
  const { terminal, options } = context;
  const { signal } = terminal;
  const meant = host
    .statuses()
    .filter(({ id, state }) => (server === undefined || id === server) && state !== "disabled");
  const line = createStatusLine(terminal, options);
  const isReplacing = line.canReplace && options.json !== true;
  if (isReplacing) line.show(`0 of ${formatCount(meant.length, "server")}`);
  const waiting = new Set(meant.map(({ id }) => id));
  const installers = new Set((host.config?.servers ?? []).filter(mayInstall).map(({ id }) => id));
  const lastLines = new Map<string, string>();
  let isPatient = false;
  const isOver = (): boolean => !Array.from(waiting).some((id) => !isPatient || installers.has(id));
  const over = new AbortController();
  const look = ({ id, state }: ServerStatus): void => {
    if (state === "idle" || state === "connecting" || !waiting.delete(id)) return;
    if (isOver()) over.abort();
    if (options.quiet === true) return;
    const done = meant.length - waiting.size;
    const shown = `${done} of ${formatCount(meant.length, "server")}: ${terminalLine(id, 200)} ${state}`;
    if (isReplacing) line.show(shown);
    else terminal.err(`${terminal.paintErr("dim", shown)}\n`);
  };
  const unfollow = [
    host.onStatusChanged(look),
    provider.onServerLog(({ serverId, source, text }) => {
      if (source === "stderr" && text.trim() !== "") lastLines.set(serverId, text);
    }),
  ];
  const ending = AbortSignal.any([signal, over.signal]);
  const sayWhoInstalls = (): void => {
    line.end();
    for (const id of waiting) {
      const said = lastLines.get(id);
      const tail = said === undefined ? "" : `: ${terminalLine(said, 200)}`;
      if (installers.has(id))
        terminal.err(`${terminalLine(id, 200)} is still installing${tail}; --timeout SECONDS ends the wait\n`);
    }
  };
  meant.forEach(look);
  for (const { id, state } of meant) {
    // Its status says how it ends.
    if (state === "idle") provider.refreshServer(id, { signal }).catch(() => undefined);
  }
  if (!isOver()) await pause(startTimeoutMs(context), ending);
  isPatient = options.timeout === undefined;
  if (isPatient && !isOver() && !signal.aborted) {
    if (options.quiet !== true) sayWhoInstalls();
    await pause(longestInstallMs, ending);
  }
  unfollow.forEach((end) => end());
  line.end();
  return { end: signal.aborted ? "interrupted" : waiting.size === 0 ? "settled" : "late", lastLines };
}
