import { defaultTimeouts, HostsideError, truncateText, type CallOptions } from "@hostside/core";
import {
  createDeadline,
  describeAbsent,
  quoteText,
  unknownToolError,
  type AbsentServer,
} from "@hostside/core/implement";
import { toolQuarantinedError } from "../calls/call-errors.ts";
import { findQuarantined, findCatalogTool } from "../catalog/catalog.ts";
import type { CatalogTool } from "../catalog/define-tool.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import type { Observers } from "../servers/server-reports.ts";
import type { Registration } from "../servers/registration.ts";
import type { ServerSet } from "../servers/server-set.ts";

/** What waiting for a tool needs. */
export interface AwaitToolInit {
  readonly catalog: LiveCatalog;
  readonly serverSet: ServerSet;
  readonly observers: Observers;
  /** Throws when the provider is closed. */
  readonly assertOpen: () => void;
  /** Looks again, for each call that waits; whoever closes the provider calls them. */
  readonly waiting: Set<() => void>;
}

/** Servers whose tools are not on offer now, sorted by id. */
export function absentServers({
  serverSet,
  catalog,
}: Pick<AwaitToolInit, "serverSet" | "catalog">): readonly AbsentServer[] {
  return absentRegistrations(serverSet, catalog).map((registration) => {
    const { id, state, error } = serverSet.showing.status(registration);
    return { id, state, ...(error !== undefined && { code: error.code }) };
  });
}

/**
 * Waits until a tool of this name is on offer. Starts the servers whose tools are not known and may
 * be called so, as a call of theirs would; rejects with `unknown_tool` when none of them is on its
 * way any more, with `tool_quarantined` when it came and is held back, with `call_timeout`,
 * `aborted` or `closed`. Nothing was sent then.
 */
export function awaitTool(name: string, options: CallOptions, init: AwaitToolInit): Promise<CatalogTool> {
  const { catalog, serverSet, observers, assertOpen, waiting } = init;
  const { timeoutMs = defaultTimeouts.callMs, signal } = options;
  return new Promise((resolve, reject) => {
    const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => lateError(name, timeoutMs, init) });
    const settling = new AbortController();
    const mayBring = (): readonly Registration[] => serverSet.all().filter(({ id }) => catalog.mayName(id, name));
    let settled = false;
    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      for (const end of subscriptions) end();
      waiting.delete(look);
      deadline.dispose();
      settling.abort();
      act();
    };
    const look = (): void => {
      try {
        assertOpen();
      } catch (error) {
        return settle(() => reject(error));
      }
      const tool = findCatalogTool(catalog.current, name);
      if (tool !== undefined) return settle(() => resolve(tool));
      const held = findQuarantined(catalog.current, name);
      if (held !== undefined) return settle(() => reject(toolQuarantinedError(held.origin)));
      if (mayBring().some((registration) => serverSet.showing.status(registration).state === "connecting")) return;
      settle(() => reject(unknownToolError(name, catalog.current.definitions, absentServers(init))));
    };
    const giveUp = (): void =>
      settle(() => reject(signal?.aborted ? abortedError(name, signal.reason) : deadline.signal.reason));
    const subscriptions = [catalog.onToolsChanged(look), observers.status.on(look)];
    waiting.add(look);
    if (deadline.signal.aborted) return giveUp();
    deadline.signal.addEventListener("abort", giveUp, { once: true });
    // What is on show of some may be old: the tool may be a new one.
    const isUnsure = ({ saved, link: { state } }: Registration): boolean =>
      saved !== undefined && state.kind === "idle";
    for (const registration of mayBring()) {
      if (catalog.current.servers.has(registration.id) && !isUnsure(registration)) continue;
      // Its status says what became of it.
      void registration.link.ready("call", AbortSignal.any([settling.signal])).then(look, look);
    }
    look();
  });
}

function absentRegistrations(serverSet: ServerSet, { current }: LiveCatalog): readonly Registration[] {
  return serverSet.all().filter(({ id }) => !current.servers.has(id));
}

function lateError(name: string, timeoutMs: number, init: AwaitToolInit): HostsideError {
  const servers = absentServers(init);
  const shown = JSON.stringify(truncateText(name, 200));
  return new HostsideError(`tool ${shown} was not there within ${timeoutMs} ms; ${describeAbsent(servers)}`, {
    code: "call_timeout",
    toolName: truncateText(name, 200),
    outcome: "not-sent",
    details: { timeoutMs, servers },
  });
}

function abortedError(name: string, cause: unknown): HostsideError {
  const toolName = truncateText(name, 200);
  const message = `call of ${quoteText(toolName)} was aborted while it waited for servers`;
  return new HostsideError(message, { code: "aborted", toolName, outcome: "not-sent", cause });
}
