import { createTrust } from "@hostside/config";
import type { Diagnostic, ServerSpec, Store } from "@hostside/core";
import { clock, createEvent } from "@hostside/core/implement";
import { hostsideNaming } from "@hostside/naming";
import type { Toolbox } from "@hostside/discovery";
import type { McpProvider } from "@hostside/provider";
import { chooseAuth } from "./auth/choose-auth.ts";
import { signInWhereAsked } from "./auth/sign-in-where-asked.ts";
import { checkOptions, inOption } from "./check-options.ts";
import { openConfiguration, type Configuration } from "./configuration/open-configuration.ts";
import { readConfigOptions } from "./configuration/read-config-options.ts";
import {
  assertConversationOptions,
  createConversation,
  type ConversationParts,
} from "./conversation/create-conversation.ts";
import { createClosing, type Closing } from "./lifecycle/create-closing.ts";
import { startSources } from "./lifecycle/start-servers.ts";
import { chooseConnector } from "./parts/choose-connector.ts";
import { choosePolicy, followUnmatchedRules } from "./parts/choose-policy.ts";
import { chooseResources } from "./parts/choose-resources.ts";
import { chooseTelemetry } from "./parts/choose-telemetry.ts";
import { openPool, sharedBy, configTargetOf } from "./parts/open-pool.ts";
import { openProviders } from "./parts/open-provider.ts";
import { openToolboxes } from "./parts/open-toolbox.ts";
import type { Conversations } from "./pooled/open-conversations.ts";
import { createHostServers } from "./servers/create-host-servers.ts";
import { followSharedServers } from "./shared-servers/follow-shared-servers.ts";
import { chooseState, type ChosenState } from "./state/choose-state.ts";
import type { HostOptions } from "./host-options.ts";
import type { Host } from "./host.ts";
import type { HostTelemetry } from "./host-telemetry.ts";
import { createKeptCatalog, type KeptCatalog } from "@hostside/cluster";
import { createMemorySink, createResults, createStoreSink, type Results } from "@hostside/results";
import type { LoadedConfig } from "@hostside/config/node";
import { issuerOfMetadata } from "./auth/to-client.ts";

// A refresh token that was sent is waited for: the answer to it is the only copy of a sign-in.
const longestSignInMs = 60_000;

/**
 * Connects to the servers that are configured, and composes everything that a product needs of
 * them. Resolves within `timeoutMs` with what is ready by then; who is late, and who failed, is in
 * `statuses()`. Shows nobody a page, and asks nobody anything but what `config` has handlers for.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type; rejects with
 * `invalid_spec`, `duplicate_server` or `unsupported_transport` for `servers`, with
 * `invalid_config` when files or entries were named and no server can be used, with
 * `refresh_failed` or `connect_timeout` for servers that are `required`, and with `aborted`.
 * Nothing is left then.
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  return (await openHostParts(options)).host;
}

/** A host, and what the command line reads beside it. */
export interface HostParts {
  readonly host: Host;
  /** The provider of what all conversations share. Its calls go past the policy. */
  readonly provider: McpProvider;
}

/** Does what {@linkcode createHost} does, for callers that need the provider itself. */
export async function openHostParts(options: HostOptions): Promise<HostParts> {
  checkOptions(options);
  const closing = createClosing();
  try {
    const host = await compose(options, closing, await chooseTelemetry(options.telemetry));
    closing.endWith(options.signal);
    return host;
  } catch (error) {
    // What led here says more than what follows from it.
    await closing.close().catch(() => undefined);
    throw error;
  }
}

type Telemetry = HostTelemetry | undefined;

async function compose(options: HostOptions, closing: Closing, telemetry: Telemetry): Promise<HostParts> {
  const { signal, timeoutMs = 10_000 } = options;
  const diagnostics = createEvent<Diagnostic>();
  closing.add(() => diagnostics.close());
  if (options.onDiagnostic !== undefined) diagnostics.on(options.onDiagnostic);
  const report = (diagnostic: Diagnostic): void => diagnostics.emit(diagnostic);

  const state = chooseState(options, { report });
  closing.add(() => state.close());
  let configuration: Configuration | undefined = undefined;
  const extrasOf = (serverId: string): ReturnType<Configuration["extrasOf"]> => configuration?.extrasOf(serverId);
  const auth = chooseAuth(options.auth, { ...state, extrasOf, way: options.connector });
  closing.add(() => auth.close(), longestSignInMs);
  const kept = chooseResults(options.results, { state, onDiagnostic: report });
  const { results } = kept;
  closing.add(() => kept.close());
  const connector = chooseConnector(options.connector, { authProvider: auth.authProvider });
  const check = connector.check === undefined ? undefined : (spec: ServerSpec) => connector.check?.(spec);
  const shared = options.sharedServers && (await followSharedServers({ shared: options.sharedServers, check, report }));
  closing.add(() => shared?.close());
  const opened = await openConfiguration({
    ...readConfigOptions(options),
    naming: options.provider?.naming ?? hostsideNaming,
    check,
    shared,
    report,
    trust: createTrust({ store: state.store, lock: state.lock }),
    prepare: auth.authProvider === undefined ? (spec) => spec : signInWhereAsked,
    perCaller: (spec) => connector.perCaller?.(spec) === true,
    timeoutMs,
    signal,
  });
  configuration = opened;
  const openedAt = clock.now() - opened.spentMs;
  closing.add(() => opened.close());
  if (opened.config !== undefined) unusedSettings(opened.config).forEach(report);

  const policy = choosePolicy(options, { ...state, report, configuration: opened });
  const means = { options, closing, report, policy, configuration: opened, telemetry, ...auth };
  const ownTools = [...(options.tools ?? []), results.tool];
  const catalogs = chooseCatalogs(options, { store: state.store, report });
  const servers = sharedBy(opened.specs, options);
  const providerMeans = { ...means, ...state, connector, ownTools, servers, catalogs };
  const { provider, makeProvider, providers, onStatusChanged } = await openProviders(providerMeans);
  closing.add((reason) => provider.close(reason));
  const resources = chooseResources(options.resources, { ...means, provider });
  closing.add(() => resources.close());
  const { oauth } = auth;
  const toolboxes = openToolboxes({ ...means, provider, ownTools, resourceTools: resources.providers });
  const { toolbox, recheckTools } = toolboxes;
  const conversations = openPool({ ...means, ...toolboxes, provider, makeProvider, results });
  closing.add(() => catalogs?.close());
  opened.start(configTargetOf(provider, conversations, policy));
  // Before everything else: what ends gets no edits.
  closing.add(() => opened.close());
  closing.add(() => shared?.close());
  await startSources({ ...options, provider, servers, report }, { timeoutMs, openedAt, signal });
  closing.add(followUnmatchedRules({ ...means, providers, onStatusChanged, toolbox }));

  const { naming = hostsideNaming } = options.provider ?? {};
  const isPooled = options.pool !== undefined;
  const serversParts = { configuration: opened, provider, providers, isPooled, connector, naming, closing };
  const hostServers = createHostServers(serversParts);
  const parts = { servers: hostServers, toolbox, policy, results, resources: resources.resources, oauth, recheckTools };
  const host: Host = {
    ...parts,
    pool: conversations?.providers,
    get config() {
      return opened.config;
    },
    conversation: openerOf({ ...parts, provider, closing }, { conversations, principal: options.provider?.principal }),
    ...callsOf(toolbox, closing),
    statuses: () => provider.statuses(),
    onStatusChanged: provider.onStatusChanged,
    onToolsChanged: toolbox.onToolsChanged,
    onConfigReport: opened.onReport,
    onDiagnostic: diagnostics.on,
    close: (reason) => closing.close(reason),
    [Symbol.asyncDispose]: () => closing.close(),
  };
  return { host, provider };
}

function callsOf(toolbox: Toolbox, closing: Pick<Closing, "assertOpen">): Pick<Host, "tools" | "call"> {
  return {
    tools(names) {
      closing.assertOpen();
      return toolbox.tools(names);
    },
    async call(name, args, options) {
      closing.assertOpen();
      return toolbox.call(name, args, { wait: "servers", ...options });
    },
  };
}

interface OpenerMeans {
  readonly conversations: Conversations | undefined;
  readonly principal: string | undefined;
}

/** Opens conversations, on behalf of the provider's principal where they name none. */
function openerOf(parts: ConversationParts, { conversations, principal }: OpenerMeans): Host["conversation"] {
  return async (options = {}) => {
    assertConversationOptions("conversation()", options);
    parts.closing.assertOpen();
    const own =
      principal === undefined || (options.principal ?? options.context?.principal) !== undefined
        ? options
        : { ...options, principal };
    return conversations === undefined ? createConversation(parts, own) : conversations.open(own);
  };
}

/** With what listings are kept. */
export interface CatalogsMeans {
  readonly store: Store;
  readonly report: (diagnostic: Diagnostic) => void;
}

/**
 * Keeps listings of servers for the next start, where the options want that, and the product keeps
 * none of its own.
 */
function chooseCatalogs(options: HostOptions, means: CatalogsMeans): KeptCatalog | undefined {
  const { state, pool, provider } = options;
  const { savedCatalogs = typeof state === "object" || pool !== undefined } = options;
  if (!savedCatalogs || provider?.savedCatalog !== undefined) return undefined;
  return createKeptCatalog({ store: means.store, onDiagnostic: means.report });
}

/** What presents results, and how it ends where it was made here. */
export interface ChosenResults {
  readonly results: Results;
  close(): Promise<void>;
}

/** What results are kept with, where the product says nothing else. */
export interface ResultsMeans {
  readonly state: Pick<ChosenState, "store" | "lock" | "isShared">;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/**
 * Takes what was handed in, or makes what keeps results: in memory, or where replicas share a
 * state, up to 1 MiB each in its store, so that each reads on what another kept.
 */
function chooseResults(given: HostOptions["results"], { state, ...defaults }: ResultsMeans): ChosenResults {
  if (given !== undefined && "present" in given) return { results: given, close: async () => undefined };
  const { store, lock, isShared } = state;
  const common = { ...defaults, ...(isShared && { store, lock }), ...given };
  const { sink: own } = given ?? {};
  if (own !== undefined) {
    const results = inOption("results", () => createResults({ ...common, sink: own }));
    return { results, close: () => results.close() };
  }
  const memory = createMemorySink();
  const sink = isShared ? createStoreSink({ store, larger: memory }) : memory;
  const results = inOption("results", () => createResults({ ...common, sink }));
  return { results, close: async () => void (await Promise.allSettled([results.close(), memory.close()])) };
}

/** What a configuration says of its servers and nothing here does; one for each. */
function unusedSettings({ sources }: LoadedConfig): readonly Diagnostic[] {
  return sources.flatMap(({ serverId, state, extras: { oauth } }) => {
    if (state !== "on") return [];
    if (oauth?.metadataUrl === undefined || issuerOfMetadata(oauth.metadataUrl) !== undefined) return [];
    const message = `server ${JSON.stringify(serverId)}: not used: the metadata URL of oauth is none of an authorization server`;
    return [{ kind: "setting-unused" as const, serverId, message }];
  });
}
