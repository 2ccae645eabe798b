import { HostsideError, type Connector, type Diagnostic, type ServerSpec } from "@hostside/core";
import { pause, resultWithin, sameJson } from "@hostside/core/implement";
import { readServerEntry, type HostEntryExtras, type ReadEntry } from "../contract/server-entries.ts";
import type { KeptServers, SharedServers } from "../contract/shared-servers.ts";

interface Means {
  /** Checks whether a server can be used here. */
  readonly connector: Pick<Connector, "check">;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** Shared servers as they are now. */
export interface FollowedServers {
  readonly specs: readonly ServerSpec[];
  extrasOf(serverId: string): HostEntryExtras | undefined;
  /** Calls `onChange` after each change, from now on. */
  start(onChange: () => void): void;
  /** Nothing is read any more. */
  close(): void;
}

const longestReadMs = 3000;
// A notice may be lost, and some stores have none.
const lookEveryMs = 5000;

/**
 * Reads shared servers now, and again whenever they changed, and every 5 seconds. Never rejects:
 * where they cannot be read, those stay that were there before, none at the start, and a diagnostic
 * says so once. A server that cannot be used here is left out, with a diagnostic, and costs none of
 * the others.
 */
export async function followSharedServers(shared: SharedServers, means: Means): Promise<FollowedServers> {
  const { report } = means;
  let usable: readonly ReadEntry[] = [];
  let known: KeptServers["servers"] = {};
  let revision = -1;
  let isFailing = false;
  let isClosed = false;
  let onChange = (): void => undefined;
  let change = new AbortController();

  const readOnce = async (): Promise<void> => {
    try {
      const kept = await resultWithin(shared.read(), longestReadMs);
      if (kept === undefined) throw new HostsideError("their store did not answer in 3 s", { code: "store_failed" });
      // Whoever writes counts on, also when there are to be none.
      if (kept.revision === 0 && revision > 0)
        throw new HostsideError("their store has lost them", { code: "store_failed" });
      isFailing = false;
      // A store that had lost them counts anew.
      if (isClosed || (kept.revision === revision && sameJson(kept.servers, known))) return;
      ({ revision, servers: known } = kept);
      usable = Object.entries(kept.servers).flatMap(([name, entry]) => readUsable(name, entry, means));
      onChange();
    } catch (error) {
      if (!isFailing) report({ kind: "not-kept", serverId: "", message: unreadMessage(error, revision) });
      isFailing = true;
    }
  };
  // A change during a read is read by one more.
  const follow = async (): Promise<void> => {
    await pause(lookEveryMs, change.signal);
    change = new AbortController();
    if (isClosed) return;
    await readOnce();
    void follow();
  };
  const end = shared.onChanged(() => change.abort());
  await readOnce();
  void follow();
  return {
    get specs() {
      return usable.map(({ spec }) => spec);
    },
    extrasOf: (serverId) => usable.find(({ spec }) => spec.id === serverId)?.extras,
    start(listener) {
      onChange = listener;
    },
    close() {
      isClosed = true;
      end();
      change.abort();
    },
  };
}

function readUsable(name: string, entry: unknown, { connector, report }: Means): readonly ReadEntry[] {
  try {
    const server = readServerEntry(name, entry);
    connector.check?.(server.spec);
    return [server];
  } catch (error) {
    const why = error instanceof Error ? error.message : "its entry is wrong";
    report({ kind: "setting-unused", serverId: name, message: `a shared server is not used: ${why}` });
    return [];
  }
}

function unreadMessage(error: unknown, revision: number): string {
  const why = error instanceof Error ? error.message : "their store failed";
  const meanwhile = revision < 0 ? "there are none until they can be" : "those from before go on";
  return `shared servers could not be read, and ${meanwhile}: ${why}`;
}
