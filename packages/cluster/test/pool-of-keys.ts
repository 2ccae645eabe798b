import type { Event, ServerSpec } from "@hostside/core";
import type {
  createSharedProviders,
  LeaseOptions,
  SharedEvent,
  SharedProvidersOptions,
  SharedStatus,
} from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";

/** Shared providers of conversations that share nothing: one provider for each key. */
export interface PoolOfKeys {
  lease(key?: string, options?: LeaseOptions): Promise<LeaseOfKey>;
  /** {@linkcode lease}, given back at once. */
  getOrCreate(key?: string, options?: LeaseOptions): Promise<McpProvider>;
  dispose(key: string, reason?: string): Promise<boolean>;
  shutdownAll(reason?: string): Promise<void>;
  updateConfig(servers: readonly ServerSpec[]): void;
  statuses(): readonly (SharedStatus & { readonly key: string })[];
  readonly onEvent: Event<KeyEvent>;
}

export interface LeaseOfKey extends Disposable {
  readonly provider: McpProvider;
  release(): void;
}

export type KeyEvent = SharedEvent & { readonly key: string };

/** Options of {@linkcode poolOfKeys}. There is at least one server, or nothing would be made. */
export interface PoolOfKeysOptions extends Omit<SharedProvidersOptions, "make"> {
  readonly make: (request: {
    readonly key: string;
    readonly servers: readonly ServerSpec[];
    readonly signal: AbortSignal;
  }) => McpProvider | Promise<McpProvider>;
}

export function poolOfKeys(create: typeof createSharedProviders, options: PoolOfKeysOptions): PoolOfKeys {
  const { servers = [{ id: "first", type: "http", url: "https://example.com/first" }], make, ...rest } = options;
  const shared = create({
    ...rest,
    servers: ownOf(servers),
    make: ({ conversation = "", servers: own, signal }) => make({ key: conversation, servers: own, signal }),
  });
  const lease = async (key = "shared", request: LeaseOptions = {}): Promise<LeaseOfKey> => {
    const held = await shared.lease({ conversation: key }, request);
    const [provider] = held.providers;
    if (provider === undefined) throw new Error("there are no servers");
    const release = (): void => held.release();
    return { provider, release, [Symbol.dispose]: release };
  };
  return {
    lease,
    async getOrCreate(key, request) {
      using held = await lease(key, request);
      return held.provider;
    },
    dispose: (key, reason) => shared.dispose({ conversation: key }, reason),
    shutdownAll: (reason) => shared.shutdownAll(reason),
    updateConfig: (next) => shared.updateConfig(ownOf(next)),
    statuses: () => shared.statuses().map((status) => ({ ...status, key: status.conversation ?? "" })),
    onEvent: (listener) => shared.onEvent((event) => listener({ ...event, key: event.conversation ?? "" })),
  };
}

function ownOf(servers: readonly ServerSpec[]): readonly ServerSpec[] {
  if (!Array.isArray(servers)) return servers;
  return servers.map((spec: ServerSpec) => ({ ...spec, sharing: "conversation" }));
}
