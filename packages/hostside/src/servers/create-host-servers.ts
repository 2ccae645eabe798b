import { HostsideError, isHostsideError } from "@hostside/core";
import { assertKnownOptions, quoteText, sharingOf, unknownServerError, type Fields } from "@hostside/core/implement";
import { hostsideNaming } from "@hostside/naming";
import type { ApplyOptions, EndOptions, McpProvider, UserOperationOptions } from "@hostside/provider";
import type { Configuration } from "../configuration/open-configuration.ts";
import { idKeys } from "../configuration/server-sources.ts";
import type { OpenProviders } from "../parts/open-providers.ts";
import type { PartsContext } from "../parts/parts-context.ts";
import type { HostServers } from "../contract/host.ts";
import { readServerEntry, type ReadEntry } from "../contract/server-entries.ts";

const userFields: Fields<UserOperationOptions> = { signal: true, interactive: true };
const endFields: Fields<EndOptions> = { drainMs: true, reason: true };

type Operation = "add" | "update" | "remove" | "restart";

/**
 * Administers the product's own servers: those of `createHost({ servers })` and those that are
 * added later.
 */
export function createHostServers(
  { options: { pool, provider: { naming = hostsideNaming } = {} }, configuration, connector, closing }: PartsContext,
  { provider, providers }: Pick<OpenProviders, "provider" | "providers">,
): HostServers {
  const { own } = configuration;
  const ids = (): readonly string[] => configuration.specs.map(({ id }) => id);

  const readEntry = (name: string, entry: unknown): ReadEntry => {
    const server = readServerEntry(name, entry);
    connector.check?.(server.spec);
    return server;
  };
  const assertUsable = (operation: Operation, options: UserOperationOptions & EndOptions): void => {
    assertKnownOptions(`servers.${operation}()`, options, operation === "remove" ? endFields : userFields);
    closing.assertOpen();
    if (options.signal?.aborted !== true) return;
    throw new HostsideError(`servers.${operation}() was aborted`, { code: "aborted", cause: options.signal.reason });
  };
  const openProvidersOf = (name: string): readonly McpProvider[] =>
    [...providers].filter((one) => !one.closed && one.hasServer(name));
  return {
    async add(name, entry, options = {}) {
      assertUsable("add", options);
      const server = readEntry(name, entry);
      const keys = idKeys(name, naming);
      const rival = ids().find((id) => idKeys(id, naming).some((key) => keys.includes(key)));
      if (rival === name) assertOwn("add", name, configuration);
      if (rival !== undefined) throw duplicateError(name, rival);
      await changeEntry({ name, server, configuration }, async () => {
        const settled = configuration.take().specs.find(({ id }) => id === name) ?? server.spec;
        if (pool === undefined || sharingOf(settled) === "shared") return provider.addServer(settled, options);
        const failure = await applyEntry(name, options, configuration);
        if (failure !== undefined) throw failure;
      });
    },
    async update(name, entry, options = {}) {
      assertUsable("update", options);
      const server = readEntry(name, entry);
      assertOwn("update", name, configuration);
      const failure = await changeEntry({ name, server, configuration }, () =>
        applyEntry(name, options, configuration),
      );
      if (failure !== undefined) throw failure;
    },
    async remove(name, options = {}) {
      assertUsable("remove", options);
      if (!own.has(name) && !ids().includes(name)) return false;
      assertOwn("remove", name, configuration);
      await changeEntry({ name, server: undefined, configuration }, () =>
        configuration.apply({ drainMs: 0, ...options }),
      );
      return true;
    },
    async restart(name, options = {}) {
      assertUsable("restart", options);
      const spec = configuration.specs.find(({ id }) => id === name);
      if (spec === undefined) throw unknownServerError(name, ids());
      await Promise.all(openProvidersOf(name).map((one) => one.disconnectServer(name)));
      if (provider.hasServer(name)) await provider.refreshServer(name, options);
    },
    onLog: provider.onServerLog,
    onNotification: provider.onServerNotification,
  };
}

/** Throws where another source than the product's code has the server, or none. */
function assertOwn(operation: Operation, name: string, { own, config, specs }: Configuration): void {
  if (own.has(name)) return;
  const ids = specs.map(({ id }) => id);
  const source = config?.sources.find(({ serverId }) => serverId === name);
  if (source === undefined && !ids.includes(name)) throw unknownServerError(name, ids);
  const owner = source?.file === undefined ? "the shared servers: use their write()" : `${source.file}: edit the file`;
  const message = `servers.${operation}(): server ${quoteText(name)} is of ${owner}`;
  throw new HostsideError(message, {
    code: operation === "add" ? "duplicate_server" : "unknown_server",
    serverId: name,
    details: { operation: `servers.${operation}` },
  });
}

interface EntryChange {
  readonly name: string;
  readonly server: ReadEntry | undefined;
  readonly configuration: Configuration;
}

/** Sets or removes an entry, and does `work`. If that rejects, all is as before. */
async function changeEntry<T>({ name, server, configuration }: EntryChange, work: () => Promise<T>): Promise<T> {
  const { own } = configuration;
  const before = own.get(name);
  const set = (entry: ReadEntry | undefined): void =>
    void (entry === undefined ? own.delete(name) : own.set(name, entry));
  set(server);
  try {
    return await work();
  } catch (error) {
    if (own.get(name) === server) set(before);
    // An edit that came meanwhile may have applied it.
    await configuration.apply({ drainMs: 0 }).catch(() => undefined);
    throw error;
  }
}

/** Resolves with what the connection failed with. Rejects if nothing was applied. */
async function applyEntry(
  name: string,
  options: ApplyOptions,
  configuration: Configuration,
): Promise<HostsideError | undefined> {
  try {
    const { failed } = await configuration.apply(options);
    return failed.find(({ serverId }) => serverId === name)?.error;
  } catch (error) {
    if (isHostsideError(error, "aborted")) return error;
    throw error;
  }
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
