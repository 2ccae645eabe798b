import type { Clock, ServerPeer, ServerRecord } from "@hostside/core";
import { attribute } from "../names.ts";
import { quietly } from "../quietly.ts";
import { isOrderly, measureServer, boundedServerId, type MetricParts } from "./call-metrics.ts";

/** The sessions of one provider. */
export interface SessionWatch {
  note(record: ServerRecord): void;
  /** The provider was closed, and says nothing of the sessions that ended with it. */
  closed(): void;
}

/** What counting sessions needs. */
export interface SessionWatchInit extends MetricParts {
  readonly clock: Clock;
  /**
   * Whether the sessions of servers are those that `names: "nexo"` counts: not where there is a
   * pool.
   */
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
  const { clock } = init;
  const open = new Map<string, OpenSession>();
  const add = (count: 1 | -1, serverId: string): void => {
    init.find()?.hostside?.sessions.add(count, { [attribute.server]: boundedServerId(serverId, init) });
    if (init.countsForNexo()) init.find()?.nexo?.active.add(count);
  };
  const countAll = (): void => {
    if (init.find() === undefined) return;
    for (const session of open.values()) {
      if (session.isCounted) continue;
      session.isCounted = true;
      add(1, session.serverId);
    }
  };
  return {
    note(record) {
      measureServer(record, init);
      const { serverId, operation, peer, error, durationMs } = record;
      const key = JSON.stringify([serverId, peer.session]);
      quietly(() => {
        if (operation === "connect" && error === undefined) {
          open.set(key, { serverId, peer, openedAt: clock.now(), isCounted: false });
          if (init.countsForNexo()) init.find()?.nexo?.created.add(1);
        }
        countAll();
        const ended = operation === "session" ? open.get(key) : undefined;
        if (ended !== undefined) {
          open.delete(key);
          if (ended.isCounted) add(-1, serverId);
          const reason = isOrderly(error?.code) ? "closed" : (error?.code ?? "closed");
          if (init.countsForNexo()) endForNexo({ reason, livedMs: durationMs }, init);
        }
      });
    },
    closed() {
      for (const { serverId, peer, openedAt, isCounted } of open.values()) {
        const durationMs = clock.now() - openedAt;
        measureServer({ serverId, operation: "session", startedAt: 0, durationMs, peer }, init);
        quietly(() => {
          if (isCounted) add(-1, serverId);
          if (init.countsForNexo()) endForNexo({ reason: "closed", livedMs: durationMs }, init);
        });
      }
      open.clear();
    },
  };
}

/** Writes the end of a session by the names of `names: "nexo"`. */
export function endForNexo(
  { reason, livedMs }: { readonly reason: string; readonly livedMs: number },
  { find, bounded }: MetricParts,
): void {
  const { nexo } = find() ?? {};
  nexo?.disposed.add(1, { reason: bounded.of("reason", "", reason) });
  nexo?.lifetime.record(livedMs / 1000);
}
