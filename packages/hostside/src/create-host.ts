import type { OAuthPrompt } from "@hostside/auth";
import type { ServerExtras } from "@hostside/config";
import type { LoadedConfig } from "@hostside/config/node";
import type { Connector, Diagnostic, ServerSpec } from "@hostside/core";
import { clock, createEvent, sharingOf } from "@hostside/core/implement";
import type { McpProvider } from "@hostside/provider";
import { createMemorySink, createResults, createStoreSink, type Results } from "@hostside/results";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import { chooseAuth } from "./auth/choose-auth.ts";
import { signInWhereAsked, issuerOfMetadata } from "./auth/to-client.ts";
import { checkOptions, inOption } from "./contract/check-options.ts";
import { openConfiguration, type Configuration } from "./configuration/open-configuration.ts";
import {
  assertConversationOptions,
  createConversation,
  type ConversationParts,
} from "./conversation/create-conversation.ts";
import { createClosing, type Closing } from "./lifecycle/create-closing.ts";
import { startSources } from "./lifecycle/start-servers.ts";
import { choosePolicy, followUnmatchedRules } from "./parts/choose-policy.ts";
import { chooseResources } from "./parts/choose-resources.ts";
import { openProviders } from "./parts/open-providers.ts";
import { openToolboxes } from "./parts/open-toolboxes.ts";
import type { PartsContext } from "./parts/parts-context.ts";
import type { Conversations } from "./pooled/open-conversations.ts";
import { createHostServers } from "./servers/create-host-servers.ts";
import { followSharedServers } from "./shared-servers/follow-shared-servers.ts";
import { chooseState } from "./state/choose-state.ts";
import type { HostOptions, HostTelemetry } from "./contract/host-options.ts";
import type { Host } from "./contract/host.ts";

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
 *
 * @example
 * const host = await createHost({ config: "auto" });
 * const conversation = await host.conversation({ maxToolTokens: 8000 });
 * console.log(await conversation.call("tools_search", { query: "read a file" }));
 * await host.close();
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

/**
 * Does what {@linkcode createHost} does, for callers that need the provider itself. `prompt` shows
 * sign-in pages; unlike `auth`, it loads nothing before a server asks for a sign-in.
 */
export async function openHostParts(options: HostOptions, prompt?: OAuthPrompt): Promise<HostParts> {
  checkOptions(options);
  const closing = createClosing();
  try {
    const context = await openContext(options, closing, {
      telemetry: await chooseTelemetry(options.telemetry),
      prompt,
    });
    const parts = await compose(context);
    closing.endWith(options.signal);
    return parts;
  } catch (error) {
    // The first error says more than one that follows from it.
    await closing.close().catch(() => undefined);
    throw error;
  }
}

interface OpenedContext extends PartsContext {
  /** When opening began, without the time of a human. */
  readonly openedAt: number;
  readonly onDiagnostic: Host["onDiagnostic"];
  readonly results: Results;
}

/** Makes everything that comes before the providers. */
async function openContext(
  options: HostOptions,
  closing: Closing,
  { telemetry, prompt }: { readonly telemetry: HostTelemetry | undefined; readonly prompt: OAuthPrompt | undefined },
): Promise<OpenedContext> {
  const { signal, timeoutMs = 10_000 } = options;
  const diagnostics = createEvent<Diagnostic>();
  closing.add(() => diagnostics.close());
  if (options.onDiagnostic !== undefined) diagnostics.on(options.onDiagnostic);
  const report = (diagnostic: Diagnostic): void => diagnostics.emit(diagnostic);
  const state = await chooseState(options, { report });
  closing.add(() => state.close());
  let opened: Configuration | undefined = undefined;
  const extrasOf = (serverId: string): ServerExtras | undefined => opened?.extrasOf(serverId);
  const auth = await chooseAuth(options.auth, { ...state, extrasOf, connector: options.connector, prompt });
  closing.add(() => auth.close(), longestSignInMs);
  const means = { options, closing, report, telemetry, state, auth };
  const results = chooseResults(means);
  const connector = chooseConnector(options.connector, auth.authProvider);
  const { sharedServers } = options;
  const shared = sharedServers && (await followSharedServers(sharedServers, { connector, report }));
  closing.add(() => shared?.close());
  const configuration = await openConfiguration({
    options,
    connector,
    shared,
    report,
    state,
    prepare: auth.authProvider === undefined ? (spec) => spec : signInWhereAsked,
    timeoutMs,
    signal,
  });
  opened = configuration;
  const openedAt = clock.now() - configuration.spentMs;
  closing.add(() => configuration.close());
  if (configuration.config !== undefined) unusedSettings(configuration.config).forEach(report);
  const policy = choosePolicy({ ...means, connector, configuration });
  return { ...means, connector, configuration, policy, openedAt, onDiagnostic: diagnostics.on, results };
}

/** Options that are checked by the parts behind the providers. */
const checkedLate = [
  "tools",
  "providers",
  "pool",
  "toolbox",
  "allowTool",
  "authenticateTools",
  "resources",
  "telemetry",
] as const satisfies readonly (keyof HostOptions)[];

async function compose(context: OpenedContext): Promise<HostParts> {
  const { options, closing, report, policy, configuration, results, auth } = context;
  const { signal, timeoutMs = 10_000, pool } = options;
  const ownTools = [...(options.tools ?? []), results.tool];
  const sharedOf = (specs: readonly ServerSpec[]): readonly ServerSpec[] =>
    pool === undefined ? specs : specs.filter((spec) => sharingOf(spec) === "shared");
  const servers = sharedOf(configuration.specs);
  const opened = await openProviders(context, servers, ownTools);
  const { provider } = opened;
  const start = (): Promise<void> =>
    startSources({ ...options, provider, servers, report, timeoutMs, openedAt: context.openedAt, signal });
  // Programs start while the rest is loaded and made, unless the rest has options to check first,
  // or the caller follows their start with listeners of its own.
  const isEarly = timeoutMs > 0 && checkedLate.every((name) => options[name] === undefined);
  const early = isEarly ? start() : undefined;
  early?.catch(() => undefined);
  const { resources, resourceTools } = await chooseResources(context, provider);
  const toolboxes = await openToolboxes(context, provider, { tools: ownTools, resourceTools });
  const { toolbox, recheckTools } = toolboxes;
  const parts = { toolbox, results, policy, provider, oauth: auth.oauth, closing };
  const conversations =
    pool === undefined
      ? undefined
      : (await import("./pooled/open-conversations.ts")).openConversations(context, pool, {
          ...parts,
          ...opened,
          ...toolboxes,
        });
  closing.add(opened.close);
  configuration.start({
    async applyServers(specs, applyOptions) {
      // A provider of the pool gets its servers with the next call: until then it has the old ones.
      policy.clearCache();
      conversations?.update(specs);
      return provider.applyServers(sharedOf(specs), applyOptions);
    },
  });
  // Before everything else: a host that ends gets no edits.
  closing.add(() => configuration.close());
  // After all that checks options of its own.
  await (early ?? start());
  // A policy explains tools that it was asked about.
  toolbox.tools();
  closing.add(followUnmatchedRules(context, opened, toolbox));
  const host: Host = {
    servers: createHostServers(context, opened),
    toolbox,
    policy,
    results,
    resources,
    oauth: auth.oauth,
    recheckTools,
    pool: conversations?.providers,
    get config() {
      return configuration.config;
    },
    conversation: openerOf(parts, conversations, options.provider?.principal),
    tools(names) {
      closing.assertOpen();
      return toolbox.tools(names);
    },
    async call(name, args, callOptions) {
      closing.assertOpen();
      return toolbox.call(name, args, { wait: "servers", ...callOptions });
    },
    statuses: () => provider.statuses(),
    onStatusChanged: provider.onStatusChanged,
    onToolsChanged: toolbox.onToolsChanged,
    onConfigReport: configuration.onReport,
    onDiagnostic: context.onDiagnostic,
    close: (reason) => closing.close(reason),
    [Symbol.asyncDispose]: () => closing.close(),
  };
  return { host, provider };
}

/** Opens conversations, on behalf of the provider's principal where they name none. */
function openerOf(
  parts: ConversationParts,
  conversations: Conversations | undefined,
  principal: string | undefined,
): Host["conversation"] {
  return async (options = {}) => {
    assertConversationOptions("conversation()", options);
    parts.closing.assertOpen();
    const isNamed = principal === undefined || (options.principal ?? options.context?.principal) !== undefined;
    const own = isNamed ? options : { ...options, principal };
    return conversations === undefined ? createConversation(parts, own) : conversations.open(own);
  };
}

/** Takes the telemetry of the options, or makes the one that `true` stands for, which loads it. */
async function chooseTelemetry(given: HostOptions["telemetry"]): Promise<HostTelemetry | undefined> {
  return given === true ? (await import("@hostside/otel")).createTelemetry() : given;
}

/** Takes the connector of the options, or makes one that waits for tasks of servers. */
function chooseConnector(given: HostOptions["connector"], authProvider: ConnectorOptions["authProvider"]): Connector {
  if (given !== undefined && "connect" in given) return given;
  return inOption("connector", () =>
    createConnector({ tasks: true, ...given, ...(authProvider !== undefined && { authProvider }) }),
  );
}

/**
 * Takes the results of the options, or makes what keeps them: in memory, or where replicas share a
 * state, up to 1 MiB each in its store, so that each reads on what another kept.
 */
function chooseResults({
  options: { results: given = {} },
  state: { store, lock, isShared },
  closing,
  report,
}: Pick<PartsContext, "options" | "state" | "closing" | "report">): Results {
  if ("present" in given) return given;
  const memory = createMemorySink();
  const sink = isShared ? createStoreSink({ store, larger: memory }) : memory;
  const shared = isShared ? { store, lock } : {};
  const results = inOption("results", () => createResults({ sink, onDiagnostic: report, ...shared, ...given }));
  closing.add(() => memory.close());
  closing.add(() => results.close());
  return results;
}

/** Reports settings of servers that are not used, one for each. */
function unusedSettings({ sources }: LoadedConfig): readonly Diagnostic[] {
  return sources.flatMap(({ serverId, state, extras: { oauth } }) => {
    if (state !== "on") return [];
    if (oauth?.metadataUrl === undefined || issuerOfMetadata(oauth.metadataUrl) !== undefined) return [];
    const message = `server ${JSON.stringify(serverId)}: not used: the metadata URL of oauth is none of an authorization server`;
    return [{ kind: "setting-unused" as const, serverId, message }];
  });
}
