import { createOAuth, type OAuth, type ClientConfig } from "@hostside/auth";
import { isHostsideError, type Connector, type ServerSpec } from "@hostside/core";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import {
  driverFeatures,
  type DriverError,
  type DriverFeature,
  type DriverClient,
  type DriverServer,
} from "./driver-protocol.ts";
import type { DriverHost } from "./serve-driver.ts";

/**
 * What Hostside can do, in the words of the driver protocol; it does not say how many children it
 * has.
 */
export const referenceFeatures: readonly DriverFeature[] = driverFeatures.filter((feature) => feature !== "stats");

/** What differs from the Hostside that products use. */
export interface ReferenceHostOptions {
  /** Default: `createConnector` with this `authProvider`. */
  readonly connector?: (options: Pick<OAuth, "authProvider">) => Connector;
  readonly provider?: Partial<ProviderOptions>;
}

/** Hostside behind the verbs of a driver, through its public entries alone. */
export function createReferenceHost({
  connector = createConnector,
  provider: options = {},
}: ReferenceHostOptions = {}): DriverHost {
  const calls = new Map<string, AbortController>();
  let events: string[] = [];
  let current: McpProvider | undefined;
  let signIns: SignIns = createSignIns();

  function provider(): McpProvider {
    if (current === undefined) throw new TypeError("init comes first");
    return current;
  }

  return {
    async init({ servers }) {
      signIns = createSignIns();
      const made = createProvider({
        connector: connector({ authProvider: signIns.authProvider }),
        servers: servers.map(signIns.specOf),
        refresh: "debounced",
        debounce: { quietMs: 20, maxMs: 200 },
        ...options,
      });
      current = made;
      events = [];
      made.onDiagnostic((diagnostic) => events.push(JSON.stringify(diagnostic)));
      made.onStatusChanged((status) => events.push(JSON.stringify(status)));
      await made.init();
      return {};
    },
    async addServer({ spec }) {
      await provider().addServer(signIns.specOf(spec));
      return {};
    },
    async removeServer({ serverId }) {
      await provider().removeServer(serverId);
      return {};
    },
    snapshot() {
      const tools = provider()
        .tools()
        .map(({ name, origin }) => ({ name, serverId: origin?.serverId ?? "", remoteName: origin?.toolName ?? "" }));
      const servers = provider()
        .statuses()
        .map(({ id, state, error }) => ({ id, state, ...(error && { error: error.message }) }));
      return { tools, servers };
    },
    async call({ callId, name, args, timeoutMs, meta }) {
      const controller = new AbortController();
      calls.set(callId, controller);
      try {
        const { signal } = controller;
        const outcome = await provider().call(name, args, { timeoutMs, signal, ...(meta !== undefined && { meta }) });
        const { content, structuredContent, isError } = outcome;
        return { content, ...(structuredContent !== undefined && { structuredContent }), isError };
      } finally {
        calls.delete(callId);
      }
    },
    cancel({ callId }) {
      calls.get(callId)?.abort();
      return {};
    },
    async refresh() {
      await provider().refresh();
      return {};
    },
    events() {
      const reported = events;
      events = [];
      return { events: reported };
    },
    async close() {
      await current?.close();
      await signIns.close();
      return {};
    },
  };
}

/** A Hostside error in the words of the driver protocol. */
export function describeHostsideError(error: unknown): DriverError {
  if (!isHostsideError(error)) return { message: error instanceof Error ? error.message : String(error) };
  const { code, outcome, message } = error;
  return { message, code, outcome };
}

type SignIns = ReturnType<typeof createSignIns>;

/** Credentials for the servers of one host. Keeps nothing after it: the next one signs in again. */
function createSignIns() {
  const clients = new Map<string, DriverClient>();
  const oauth = createOAuth({ clients: ({ serverId }) => toConfig(clients.get(serverId)) });
  return {
    authProvider: oauth.authProvider,
    /** What Hostside is told of a server; the client that it has there is known from then on. */
    specOf: ({ id, transport, connectMs, closeMs }: DriverServer): ServerSpec => {
      const timeouts = { connectMs, closeMs, probeMs: Math.max(1, Math.floor(connectMs / 4)) };
      if (transport.type !== "http" || transport.client === undefined) return { id, ...transport, timeouts };
      const { client, ...others } = transport;
      clients.set(id, client);
      return { id, ...others, auth: "oauth", timeouts };
    },
    close: (): Promise<void> => oauth.close(),
  };
}

function toConfig(client: DriverClient | undefined): ClientConfig | undefined {
  return client && { flow: client.grant, clientId: client.id, clientSecret: client.secret };
}
