import { clock } from "@hostside/core/implement";
import type { ServerPeer, ServerRecord } from "@hostside/core";
import { attribute } from "../names.ts";
import { isOrderly, measureServer, boundedServerId, type MetricParts } from "./call-metrics.ts";

/** The sessions of one provider. */
export interface SessionWatch {
  note(record: ServerRecord): void;
  /** The provider was closed, and says nothing of the sessions that ended with it. */
  closed(): void;
}

/** Everything that counting sessions needs. */
export interface SessionWatchInit extends MetricParts {
  /** Whether `names: "nexo"` counts the sessions of servers: not where there is a pool. */
  readonly countsForNexo: () => boolean;
}

interface OpenSession {
  readonly serverId: string;
  readonly peer: ServerPeer;
  readonly openedAt: number;
  /**
   * Whether it was added: an SDK may be registered later, and what was not added is not taken away.
   */
  isCounted: boolean;
}

/** Counts sessions that are open, and how long they were. */
export function watchSessions(init: SessionWatchInit): SessionWatch {
  const { metrics, countsForNexo } = init;
  const open = new Map<string, OpenSession>();
  const add = (count: 1 | -1, serverId: string): void => {
    metrics.write("hostside.sessions", count, { [attribute.server]: boundedServerId(serverId, init) });
    if (countsForNexo()) metrics.write("mcp_sessions_active", count);
  };
  const end = ({ serverId, isCounted }: OpenSession, reason: string, livedMs: number): void => {
    if (isCounted) add(-1, serverId);
    if (countsForNexo()) endForNexo({ reason, livedMs }, init);
  };
  return {
    note(record) {
      measureServer(record, init);
      const { serverId, operation, peer, error, durationMs } = record;
      const key = JSON.stringify([serverId, peer.session]);
      if (operation === "connect" && error === undefined) {
        open.set(key, { serverId, peer, openedAt: clock.now(), isCounted: false });
        if (countsForNexo()) metrics.write("mcp_sessions_created_total", 1);
      }
      for (const session of metrics.isOn() ? open.values() : []) {
        if (!session.isCounted) add(1, session.serverId);
        session.isCounted = true;
      }
      const ended = operation === "session" ? open.get(key) : undefined;
      if (ended === undefined) return;
      open.delete(key);
      end(ended, isOrderly(error?.code) ? "closed" : (error?.code ?? ""), durationMs);
    },
    closed() {
      for (const session of open.values()) {
        const { serverId, peer, openedAt } = session;
        const durationMs = clock.now() - openedAt;
        measureServer({ serverId, operation: "session", startedAt: 0, durationMs, peer }, init);
        end(session, "closed", durationMs);
      }
      open.clear();
    },
  };
}

/** Writes the end of a session by the names of `names: "nexo"`. */
export function endForNexo(
  { reason, livedMs }: { readonly reason: string; readonly livedMs: number },
  { metrics, bounded }: MetricParts,
): void {
  metrics.write("mcp_sessions_disposed_total", 1, { reason: bounded.of("reason", "", reason) });
  metrics.write("mcp_session_lifetime_seconds", livedMs / 1000);
}
