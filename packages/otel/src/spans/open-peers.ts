import type { ServerPeer, ServerRecord } from "@hostside/core";

/** How servers are spoken with now, over all providers that are watched. */
export interface OpenPeers {
  /** Notes what a provider reports of its servers. Each provider has one. */
  follow(): { note(record: ServerRecord): void; end(): void };
  /**
   * The facts that are true of all sessions of a server; `undefined`: it has none.
   */
  of(serverId: string): ServerPeer | undefined;
}

/** Makes one that knows of none. */
export function createOpenPeers(): OpenPeers {
  const followed = new Set<Map<string, ServerPeer>>();
  return {
    follow() {
      const peers = new Map<string, ServerPeer>();
      followed.add(peers);
      return {
        note({ operation, error, serverId, peer }) {
          if (operation === "connect" && error === undefined) peers.set(serverId, peer);
          if (operation === "session") peers.delete(serverId);
        },
        end: () => void followed.delete(peers),
      };
    },
    of(serverId) {
      const [first, ...others] = Array.from(followed).flatMap((peers) => peers.get(serverId) ?? []);
      return others.reduce(common, first);
    },
  };
}

const shown = ["protocolVersion", "address", "port"] as const;

function common(one: ServerPeer | undefined, other: ServerPeer): ServerPeer | undefined {
  if (one === undefined || one.transport !== other.transport) return undefined;
  const different = shown.filter((name) => one[name] !== other[name]);
  if (different.length === 0) return one;
  return Object.fromEntries(
    Object.entries(one).filter(([name]) => !different.some((gone) => gone === name)),
  ) as unknown as ServerPeer;
}
