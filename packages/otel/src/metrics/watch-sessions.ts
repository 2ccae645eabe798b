import { clock } from "@hostside/core/implement";
import type { ServerPeer, ServerRecord } from "@hostside/core";
import { attribute } from "../names.ts";
import { measureServer, boundedServerId, type MetricParts } from "./call-metrics.ts";

/** The sessions of one provider. */
export interface SessionWatch {
  note(record: ServerRecord): void;
  /** How a server is spoken with now. */
  peersOf(serverId: string): readonly ServerPeer[];
  /** The provider was closed, and says nothing of the sessions that ended with it. */
  closed(): void;
}

interface OpenSession {
  readonly serverId: string;
  readonly peer: ServerPeer;
  readonly openedAt: number;
  /**
   * Says whether it was added: an SDK may be registered later, and what was not added is not taken
   * away.
   */
  isCounted: boolean;
}

/** Counts sessions that are open, and how long they were. */
export function watchSessions(init: MetricParts): SessionWatch {
  const { metrics } = init;
  const open = new Map<string, OpenSession>();
  const add = (count: 1 | -1, serverId: string): void => {
    metrics.write("hostside.sessions", count, { [attribute.server]: boundedServerId(serverId, init) });
  };
  return {
    note(record) {
      measureServer(record, init);
      const { serverId, operation, peer, error } = record;
      const key = JSON.stringify([serverId, peer.session]);
      if (operation === "connect" && error === undefined) {
        open.set(key, { serverId, peer, openedAt: clock.now(), isCounted: false });
      }
      for (const session of metrics.isOn() ? open.values() : []) {
        if (!session.isCounted) add(1, session.serverId);
        session.isCounted = true;
      }
      const ended = operation === "session" ? open.get(key) : undefined;
      if (ended === undefined) return;
      open.delete(key);
      if (ended.isCounted) add(-1, serverId);
    },
    peersOf: (serverId) => Array.from(open.values()).flatMap((one) => (one.serverId === serverId ? [one.peer] : [])),
    closed() {
      for (const session of open.values()) {
        const { serverId, peer, openedAt, isCounted } = session;
        const durationMs = clock.now() - openedAt;
        measureServer({ serverId, operation: "session", startedAt: 0, durationMs, peer }, init);
        if (isCounted) add(-1, serverId);
      }
      open.clear();
    },
  };
}
