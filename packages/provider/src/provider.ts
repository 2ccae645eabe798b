import { HostsideError, type UnreadyGroup } from "@hostside/core";
import {
  assertInitOptions,
  assertNames,
  assertReason,
  assertRefreshOptions,
  createEvent,
  freezeData,
} from "@hostside/core/implement";
import { saveNames } from "@hostside/naming";
import type { McpProvider, ServerStatus, ToolRoute } from "./api/mcp-provider.ts";
import { assertServerId, operationFields, readOptions } from "./api/operation-options.ts";
import { readProviderOptions, type ProviderOptions } from "./api/provider-options.ts";
import { findCatalogTool, quarantinedTools, type ProviderCatalog } from "./catalog/catalog.ts";
import type { CatalogTool } from "./catalog/define-tool.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import { createProviderCalls, type ProviderCalls } from "./requests/provider-calls.ts";
import { readSavedCatalog, type RecalledListing } from "./saved/read-saved-catalog.ts";
import { bringUp, isRecalled, isUnlisted, refreshError } from "./servers/bring-up.ts";
import { listingOriginOf } from "./servers/showing.ts";
import { readSpecs } from "./servers/read-specs.ts";
import type { Registration } from "./servers/registration.ts";
import { createServerOperations } from "./servers/server-operations.ts";
import { Observers, type ProviderParts } from "./servers/server-reports.ts";
import { ServerSet, type ProviderContext } from "./servers/server-set.ts";
import { ResourceWatch } from "./servers/watch-resources.ts";
import { writeSavedCatalog } from "./servers/write-saved-catalog.ts";

/**
 * Makes a provider over MCP servers. All specs are checked before anything else happens; nothing is
 * started or sent before `init()`, or the first operation that needs a server.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type, and `invalid_spec`,
 * `unsupported_transport`, `duplicate_server` or `invalid_names`.
 *
 * @example
 * const provider = createProvider({ connector: createConnector(), servers });
 * await provider.init();
 * const outcome = await provider.call("mcp_files_read_file", { path: "a.txt" });
 * await provider.close();
 */
export function createProvider(options: ProviderOptions): McpProvider {
  const settings = readProviderOptions(options);
  const specs = readSpecs(settings.servers, settings.connector, settings.naming);
  const { name, names, describe, admit, reservedNames } = settings;
  const catalog = new LiveCatalog({ providerName: name, names, describe, admit, reservedNames });
  const observers = new Observers();
  const parts = { settings, catalog, observers, identity: {} };
  const serverSet = new ServerSet(parts);
  for (const spec of specs) serverSet.add(spec);
  recallCatalog(options.savedCatalog, parts, serverSet);
  observers.begin();
  const closed = createEvent<undefined>();
  let closedBy: HostsideError | undefined;
  let settle: (ended: Promise<void>) => void = () => {};
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const assertOpen = (): void => {
    if (closedBy !== undefined) throw closedBy;
  };
  const context: ProviderContext = { ...parts, serverSet, assertOpen };
  const calls = createProviderCalls(context);
  const resources = new ResourceWatch(context, calls.lend);
  const endAll = async (error: HostsideError): Promise<void> => {
    observers.close();
    resources.close();
    catalog.close();
    // Calls that are with their servers are ended there, where it is known what became of them.
    calls.end(error);
    await serverSet.endAll(error);
    calls.end(error, true);
    observers.diagnostics.close();
  };
  const close = (reason?: string): Promise<void> => {
    assertReason(reason);
    if (closedBy !== undefined) return ended;
    // First, because what is ended may call back.
    closedBy = closedError(name, reason);
    settle(endAll(closedBy));
    closed.emit(undefined);
    return ended;
  };
  const servers = serversOf(serverSet);

  return {
    name,
    principal: settings.principal,
    get revision() {
      return catalog.revision;
    },
    ...readsOf(catalog),
    savedCatalog: () => writeSavedCatalog(serverSet.all(), settings.principal),
    readmit() {
      assertOpen();
      serverSet.showing.readmit();
    },
    unreadyGroups: () => unreadyGroups(name, servers.statuses(), catalog.current),
    ...startOf(context),
    call: calls.call,
    callTimeoutMs: calls.callTimeoutMs,
    describeServer: calls.describeServer,
    ...servers,
    ...createServerOperations(context, calls.lend),
    get closed() {
      return closedBy !== undefined;
    },
    get busy() {
      return isBusy(calls, serverSet);
    },
    onToolsChanged: catalog.onToolsChanged,
    ...eventsOf(observers),
    onClosed: closed.on,
    async subscribeResource(id, uri, subscribeOptions) {
      assertOpen();
      assertServerId("subscribeResource", id);
      return resources.subscribe(id, uri, readOptions("subscribeResource", subscribeOptions, operationFields));
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** How all servers are brought up, and brought up to date. */
function startOf(context: ProviderContext): Pick<McpProvider, "init" | "refresh"> {
  const { serverSet, catalog, assertOpen } = context;
  return {
    async init(initOptions = {}) {
      assertOpen();
      assertInitOptions(initOptions);
      const { toolName, timeoutMs = 10_000, ...how } = initOptions;
      const mayHave = ({ id }: Registration): boolean => toolName === undefined || catalog.mayName(id, toolName);
      // Of a server that is to list, whose list is not on show yet, or whose list may be old.
      const isOpen = (one: Registration): boolean =>
        isUnlisted(one) || isRecalled(one) || !catalog.current.servers.has(one.id);
      if (toolName !== undefined && !serverSet.all().some((one) => isOpen(one) && mayHave(one))) return;
      const isOld = (one: Registration): boolean => toolName !== undefined && isRecalled(one) && mayHave(one);
      const failures = await bringUp({ ...how, timeoutMs, demand: "ready", operation: "init", isOld }, context);
      // A server that goes fails nobody, and with the provider all of them have gone.
      assertOpen();
      const fatal = failures.filter(({ registration }) => registration.link.spec.required === true);
      if (fatal.length > 0) throw refreshError("start required MCP servers", fatal);
    },
    async refresh(refreshOptions = {}) {
      assertOpen();
      assertRefreshOptions(refreshOptions);
      const { signal, timeoutMs } = refreshOptions;
      const failures = await bringUp({ demand: "refresh", operation: "refresh", signal, timeoutMs }, context);
      assertOpen();
      if (failures.length > 0) throw refreshError("refresh MCP servers", failures);
    },
  };
}

function isBusy(calls: ProviderCalls, serverSet: ServerSet): boolean {
  return calls.busy || serverSet.all().some(({ link }) => link.busy);
}

/** Reads what is known of the servers now; nobody is asked. */
function serversOf(serverSet: ServerSet): Pick<McpProvider, "statuses" | "serverIds" | "hasServer"> {
  return {
    statuses: () => serverSet.all().map((registration) => serverSet.showing.status(registration)),
    serverIds: () => serverSet.all().map(({ id }) => id),
    hasServer(id) {
      assertServerId("hasServer", id);
      return serverSet.get(id) !== undefined;
    },
  };
}

/** How those who watch the servers subscribe. */
function eventsOf(
  observers: Observers,
): Omit<Pick<McpProvider, keyof McpProvider & `on${string}`>, "onToolsChanged" | "onClosed"> {
  return {
    onStatusChanged: observers.status.on,
    onCallEnded: observers.callEnded.on,
    onServerOperation: observers.serverOperation.on,
    onServerRecord: observers.serverRecord.on,
    onDiagnostic: observers.diagnostics.on,
    onServerLog: observers.serverLog.on,
    onResourcesChanged: observers.resourcesChanged.on,
    onPromptsChanged: observers.promptsChanged.on,
    onResourceUpdated: observers.resourceUpdated.on,
    onServerNotification: observers.notification.on,
  };
}

/** Reads what is known of the tools now; nobody is asked. */
function readsOf(
  catalog: LiveCatalog,
): Pick<McpProvider, "tools" | "groups" | "has" | "quarantined" | "routes" | "savedNames"> {
  return {
    tools: (names) => selectDefinitions(catalog.current, names),
    groups: () => catalog.current.groups,
    has: (toolName) => findCatalogTool(catalog.current, toolName) !== undefined,
    quarantined: () => quarantinedTools(catalog.current),
    routes: () => routesOf(catalog.current),
    savedNames: () => saveNames(catalog.names),
  };
}

function selectDefinitions(catalog: ProviderCatalog, names: readonly string[] | undefined): readonly CatalogTool[] {
  if (names === undefined) return catalog.definitions;
  assertNames("tools(): names", names);
  return names.flatMap((name) => findCatalogTool(catalog, name) ?? []);
}

function routesOf({ definitions }: ProviderCatalog): readonly ToolRoute[] {
  return definitions.map(({ name, origin, effect }) => ({ name, ...origin, effect }));
}

function closedError(name: string, reason?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostsideError(`provider ${JSON.stringify(name)} is closed${why}`, { code: "closed" });
}

/**
 * Shows what servers listed before they were registered, marked stale, in one step. Throws
 * `invalid_catalog`.
 */
function recallCatalog(saved: unknown, { settings, observers }: ProviderParts, serverSet: ServerSet): void {
  const registrations = serverSet.all();
  const specs = registrations.map(({ link }) => link.spec);
  const { listings, problems } = readSavedCatalog(saved, { specs, principal: settings.principal });
  for (const problem of problems) observers.diagnose(problem);
  const recalled = registrations.filter((registration) => recall(registration, listings.get(registration.id)));
  serverSet.show(recalled);
}

function recall(registration: Registration, saved: RecalledListing | undefined): boolean {
  if (saved === undefined) return false;
  const { link } = registration;
  const { listing, server, listedAt } = saved;
  registration.saved = saved;
  registration.listedAt = listedAt;
  registration.shownListing = {
    origin: listingOriginOf(registration),
    spec: link.spec,
    server: freezeData({ ...server }),
    tools: listing.tools,
  };
  return true;
}

/**
 * The groups of servers that are not ready, in the order of `statuses`. Neither those that the host
 * turned off, nor those whose session ended because nobody used it: the next call of their tools
 * goes out as any other.
 */
function unreadyGroups(
  providerName: string,
  statuses: readonly ServerStatus[],
  catalog: ProviderCatalog,
): readonly UnreadyGroup[] {
  return statuses.flatMap(({ id, title: claimed, state, error }) => {
    const known = catalog.servers.get(id);
    // Of a server whose tools are all held back the model reads no word of its own.
    const title = (known === undefined ? claimed : (known.group?.title ?? known.listing.spec.title)) ?? id;
    const isIdle = state === "idle" && known !== undefined;
    if (isIdle || state === "ready" || state === "disabled" || state === "removed") return [];
    return {
      id: `${providerName}:${id}`,
      title,
      serverId: id,
      state,
      ...(error !== undefined && { code: error.code }),
    };
  });
}
