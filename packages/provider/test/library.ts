import { vi } from "vitest";
import { HostsideError, type Connection, type Connector, type JsonValue, type Subscription } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { createProvider, type McpProvider } from "@hostside/provider";
import { useVirtualClock, type VirtualClock } from "./simulation/virtual-clock.ts";

export const librarySpec = { id: "library", type: "stdio", command: "library" } as const;

/** A session with it. */
export interface Session {
  readonly hooks: ConnectionHooks;
  readonly subscribed: () => readonly string[];
  crash(): void;
  closed: boolean;
}

/** The server. */
export interface Library {
  readonly sessions: Session[];
  readonly latest: Session;
  refuse: HostsideError | undefined;
  /** What every start fails with. */
  broken: HostsideError | undefined;
  /** When it was started, or could not be. */
  readonly starts: number[];
  answer: () => Promise<JsonValue>;
}

/** A provider with one server that has resources. */
export function libraryOf(options: Partial<Parameters<typeof createProvider>[0]> = {}): {
  provider: McpProvider;
  library: Library;
  clock: VirtualClock;
  updates: string[];
  lists: string[];
  diagnostics: string[];
} {
  // So that the jitter of waits is in the numbers.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const clock = useVirtualClock();
  const sessions: Session[] = [];
  const library: Library = {
    sessions,
    refuse: undefined,
    broken: undefined,
    starts: [],
    answer: async () => ({}),
    get latest() {
      const session = sessions.at(-1);
      if (session === undefined) throw new Error("no session");
      return session;
    },
  };
  const connector: Connector = {
    async connect(_spec, hooks) {
      library.starts.push(clock.now());
      if (library.broken !== undefined) throw library.broken;
      const live: { readonly uri: string }[] = [];
      const session: Session = {
        hooks,
        closed: false,
        subscribed: () => live.map(({ uri }) => uri).toSorted(),
        crash: () =>
          hooks.onDown(new HostsideError("crashed", { code: "connection_closed", serverId: librarySpec.id })),
      };
      sessions.push(session);
      return connectionOf(session, live, library);
    },
  };
  const provider = createProvider({ connector, servers: [librarySpec], ...options });
  const [updates, lists, diagnostics]: [string[], string[], string[]] = [[], [], []];
  provider.onResourceUpdated(({ serverId, uri }) => updates.push(`${serverId} ${uri}`));
  provider.onResourcesChanged(({ serverId }) => lists.push(`resources ${serverId}`));
  provider.onPromptsChanged(({ serverId }) => lists.push(`prompts ${serverId}`));
  provider.onDiagnostic(({ message }) => diagnostics.push(message));
  return { provider, library, clock, updates, lists, diagnostics };
}

function connectionOf(session: Session, live: { readonly uri: string }[], library: Library): Connection {
  return {
    server: { era: "legacy", protocolVersion: "2025-11-25", capabilities: { tools: {}, resources: {}, prompts: {} } },
    listTools: async () => ({ tools: [], dropped: [], pages: 1 }),
    callTool: async () => ({ content: [] }),
    request: () => library.answer(),
    notify: async () => undefined,
    async subscribeResource(uri): Promise<Subscription> {
      if (library.refuse !== undefined) throw library.refuse;
      const entry = { uri };
      live.push(entry);
      const end = (): void => void live.splice(live.indexOf(entry), 1);
      return Object.assign(end, { [Symbol.dispose]: end });
    },
    async close() {
      session.closed = true;
    },
  };
}

/** Lets time pass until what is expected holds, and everything that needs none. */
export async function settle(clock: VirtualClock, expected: () => void, forMs = 120_000): Promise<void> {
  for (let passed = 0; passed < forMs; passed += 500) {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(500);
  }
  expected();
}
