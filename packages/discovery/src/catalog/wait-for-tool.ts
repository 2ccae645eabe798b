import {
  type CallOptions,
  HostsideError,
  type ToolProvider,
  type UnreadyGroup,
  defaultTimeouts,
  isHostsideError,
  truncateText,
} from "@hostside/core";
import { clock, type AbsentServer, describeAbsent, foldCase, onAbort, runWithDeadline } from "@hostside/core/implement";
import type { ToolboxCatalog } from "./toolbox-catalog.ts";

/** Servers of whose tools none is in the catalog. */
export function findAbsent(unready: readonly UnreadyGroup[], { groups }: ToolboxCatalog): readonly AbsentServer[] {
  const known = new Set(groups.map(({ id }) => foldCase(id)));
  return unready.flatMap(({ id, serverId, state, code }) =>
    known.has(foldCase(id)) ? [] : { id: serverId, state, ...(code !== undefined && { code }) },
  );
}

/** The sources that a tool may come from. */
interface WaitSources {
  readonly providers: readonly ToolProvider[];
  readonly has: (name: string) => boolean;
  readonly absent: () => readonly AbsentServer[];
  /** Aborts when nobody is to wait any more. */
  readonly ended: AbortSignal;
}

/**
 * Starts what was not started, and waits until a tool of this name is there, no provider is on its
 * way any more, or it is `ended`. Returns the options with the time that is left. Throws
 * `call_timeout` or `aborted`; nothing was sent then.
 */
export async function waitForTool(name: string, options: CallOptions, sources: WaitSources): Promise<CallOptions> {
  const { timeoutMs = defaultTimeouts.callMs, signal } = options;
  const { absent } = sources;
  const startedAt = clock.now();
  const shown = truncateText(name, 200);
  try {
    await runWithDeadline(
      { what: `waiting for tool ${JSON.stringify(shown)}`, timeoutMs, signal, outer: options.deadline },
      ({ signal: ending }) =>
        untilThere(() => sources.has(name), sources, { timeoutMs, signal: ending, toolName: name }),
    );
  } catch (error) {
    if (!isHostsideError(error)) throw error;
    const servers = absent();
    const why = error.code === "call_timeout" && servers.length > 0 ? `; ${describeAbsent(servers)}` : "";
    throw new HostsideError(`${error.rawMessage}${why}`, {
      code: error.code,
      toolName: shown,
      outcome: "not-sent",
      details: { ...error.details, ...(why !== "" && { servers }) },
      cause: error.cause,
    });
  }
  return { ...options, timeoutMs: Math.max(1, timeoutMs - (clock.now() - startedAt)) };
}

/** How long something is waited for. */
interface UntilThereOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The tool that is wanted; who cannot have it is not waited for. */
  readonly toolName?: string | undefined;
}

/**
 * Starts what was not started, and waits until it is so, no provider is on its way any more,
 * `signal` aborts, or nobody is to wait. Never rejects.
 */
async function untilThere(
  isThere: () => boolean,
  { providers, ended }: Pick<WaitSources, "providers" | "ended">,
  { timeoutMs, signal, toolName }: UntilThereOptions,
): Promise<void> {
  const ends: (() => void)[] = [];
  const starts = new AbortController();
  try {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isThere()) resolve();
      };
      const giveUp = (): void => resolve();
      for (const provider of providers) ends.push(provider.onToolsChanged(look));
      for (const over of [signal, ended]) ends.push(onAbort(over, giveUp));
      const limits = {
        timeoutMs,
        signal: starts.signal,
        retryFailed: false,
        ...(toolName !== undefined && { toolName }),
      };
      // What could not be started shows by what is absent. Names that a model makes up must not
      // start a server that failed again and again: its back-off and refreshes do.
      void Promise.allSettled(providers.map(async (provider) => provider.init(limits))).then(giveUp);
      look();
    });
  } finally {
    for (const end of ends) end();
    // Whoever is late is not waited for any more, and holds no timer for it.
    starts.abort();
  }
}

/** How servers are waited for. */
export interface ServersWait extends Pick<CallOptions, "signal" | "deadline"> {
  /** For how long after somebody waited for it first a server is waited for. */
  readonly waitMs: number;
}

/**
 * Makes what waits for servers of which no tool is known and that are on their way. Each is waited
 * for once: who asks later than `waitMs` after the first one does not wait for it any more. Rejects
 * with `aborted`, or with what `deadline` ends by; a server that is late is no failure.
 */
export function createServersWait(sources: Omit<WaitSources, "has">): (wait: ServersWait) => Promise<void> {
  const { absent } = sources;
  const since = new Map<string, number>();
  return async ({ waitMs, signal, deadline: outer }) => {
    const leftOf = ({ id, state }: AbsentServer): number =>
      isOnItsWay(state) ? (since.get(id) ?? clock.now()) + waitMs - clock.now() : 0;
    const awaited = absent().filter((server) => leftOf(server) > 0);
    if (awaited.length === 0) return;
    for (const { id } of awaited) if (!since.has(id)) since.set(id, clock.now());
    const timeoutMs = Math.max(...awaited.map(leftOf));
    const isThere = (): boolean => !absent().some((server) => leftOf(server) > 0);
    try {
      await runWithDeadline({ what: "waiting for servers", timeoutMs, signal, outer }, (deadline) =>
        untilThere(isThere, sources, { timeoutMs, signal: deadline.signal }),
      );
    } catch (error) {
      if (!isHostsideError(error, "call_timeout") || outer?.remainingMs() === 0) throw notSent(error);
    }
  };
}

function isOnItsWay(state: string): boolean {
  return state === "idle" || state === "connecting";
}

function notSent(error: unknown): unknown {
  if (!isHostsideError(error)) return error;
  const { rawMessage, code, details, cause } = error;
  return new HostsideError(rawMessage, { code, details, cause, outcome: "not-sent" });
}
