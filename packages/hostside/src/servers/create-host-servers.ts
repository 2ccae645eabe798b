import { HostsideError, type Connector } from "@hostside/core";
import { isPlainObject, kindOf, quoteText, sharingOf, unknownServerError } from "@hostside/core/implement";
import type { NamingStrategy } from "@hostside/naming";
import type { ApplyOptions, McpProvider } from "@hostside/provider";
import type { Configuration } from "../configuration/open-configuration.ts";
import { idKeys } from "../configuration/settle-servers.ts";
import type { HostServers } from "./host-servers.ts";
import { readServerEntry, type ReadEntry } from "./server-entries.ts";

/** Parts of {@linkcode createHostServers}. */
export interface HostServersParts {
  readonly configuration: Configuration;
  /** The provider of the servers that all conversations share. */
  readonly provider: McpProvider;
  /** All open providers, those of the pool included. */
  readonly providers: ReadonlySet<McpProvider>;
  readonly isPooled: boolean;
  readonly connector: Pick<Connector, "check">;
  readonly naming: NamingStrategy;
}

type Operation = "add" | "update" | "remove" | "restart";

/**
 * Administers the product's own servers: those of `createHost({ servers })` and those that are
 * added later.
 */
export function createHostServers(parts: HostServersParts): HostServers {
  const { configuration, provider, providers, isPooled, connector, naming } = parts;
  const { own } = configuration;
  const ids = (): readonly string[] => configuration.specs.map(({ id }) => id);

  const readEntry = (operation: Operation, name: string, entry: unknown): ReadEntry => {
    if (!isPlainObject(entry)) {
      throw new TypeError(`servers.${operation}() takes the entry of a server as an object, not ${kindOf(entry)}`);
    }
    const server = readServerEntry(name, entry);
    connector.check?.(server.spec);
    return server;
  };
  const assertOwn = (operation: Operation, name: string): void => {
    if (own.has(name)) return;
    const source = configuration.config?.sources.find(({ serverId }) => serverId === name);
    if (source === undefined && !ids().includes(name)) throw unknownServerError(name, ids());
    const owner =
      source?.file === undefined ? "the shared servers: use their write()" : `${source.file}: edit the file`;
    throw new HostsideError(`servers.${operation}() cannot change server ${quoteText(name)}, which is of ${owner}`, {
      code: "unknown_server",
      serverId: name,
      details: { operation: `servers.${operation}` },
    });
  };
  const apply = async (name: string, options: ApplyOptions): Promise<void> => {
    const { failed } = await configuration.apply(options);
    const failure = failed.find(({ serverId }) => serverId === name);
    if (failure !== undefined) throw failure.error;
  };
  const openProvidersOf = (name: string): readonly McpProvider[] =>
    [...providers].filter((one) => !one.closed && one.hasServer(name));

  return {
    async add(name, entry, options = {}) {
      const server = readEntry("add", name, entry);
      const keys = idKeys(name, naming);
      const rival = ids().find((id) => idKeys(id, naming).some((key) => keys.includes(key)));
      if (rival !== undefined) throw duplicateError(name, rival);
      own.set(name, server);
      const settled = configuration.settle().find(({ id }) => id === name) ?? server.spec;
      try {
        if (isPooled && sharingOf(settled) !== "shared") await apply(name, options);
        else await provider.addServer(settled, options);
      } catch (error) {
        if (own.get(name) === server) own.delete(name);
        configuration.settle();
        // An edit that was applied meanwhile keeps a server that could not be added.
        if (!provider.closed && provider.hasServer(name)) await provider.removeServer(name);
        throw error;
      }
    },
    async update(name, entry, options = {}) {
      const server = readEntry("update", name, entry);
      assertOwn("update", name);
      own.set(name, server);
      await apply(name, options);
    },
    async remove(name, options = {}) {
      if (!own.has(name) && !ids().includes(name)) return false;
      assertOwn("remove", name);
      own.delete(name);
      await configuration.apply({ drainMs: 0, ...options });
      return true;
    },
    async restart(name, options = {}) {
      const spec = configuration.specs.find(({ id }) => id === name);
      if (spec === undefined) throw unknownServerError(name, ids());
      await Promise.all(openProvidersOf(name).map((one) => one.disconnectServer(name)));
      if (provider.closed || provider.hasServer(name)) await provider.refreshServer(name, options);
    },
    onLog: provider.onServerLog,
    onNotification: provider.onServerNotification,
  };
}

function duplicateError(name: string, rival: string): HostsideError {
  const problem =
    name === rival ? "already exists: use update()" : `has the name of server ${quoteText(rival)} in tools`;
  return new HostsideError(`servers.add(): server ${quoteText(name)} ${problem}`, {
    code: "duplicate_server",
    serverId: name,
    details: { operation: "servers.add" },
  });
}
