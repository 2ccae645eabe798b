import { inOption } from "../check-options.ts";
import { authenticateToolNames } from "@hostside/auth";
import {
  cleanText,
  type CallContext,
  type Connector,
  type JsonObject,
  type Lock,
  type RequestSeam,
  type ServerSpec,
  type Store,
  type Diagnostic,
} from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { reservedNames, type StaticTool } from "@hostside/discovery";
import type { KeptCatalog } from "@hostside/cluster";
import {
  createNameBook,
  createProvider,
  type McpProvider,
  type ProviderOptions,
  type ServerStatus,
} from "@hostside/provider";
import { redactQuestions } from "./redact-parts.ts";
import { keepToSignal } from "../lifecycle/keep-to-bound.ts";
import { createKeptNames } from "../names/keep-names.ts";
import type { PartsContext } from "./parts-context.ts";

/** What a provider is made with. */
export interface ProviderMeans extends PartsContext {
  readonly connector: Connector;
  readonly ownTools: readonly StaticTool[];
  readonly store: Store;
  readonly lock: Lock | undefined;
  /** Those of the provider that all have. */
  readonly servers: readonly ServerSpec[];
  /** What servers listed before. Who made it closes it, before any provider. */
  readonly catalogs: KeptCatalog | undefined;
}

/** What one provider has that others have not. */
export interface OwnOfProvider {
  readonly servers: readonly ServerSpec[];
  /** Default: that of the options. */
  readonly name?: string | undefined;
  /** Default: that of the options. */
  readonly principal?: string | undefined;
}

/**
 * Makes providers that are alike, with the tools that they had before, and start no server; who
 * makes one closes it.
 */
export type MakeProvider = (own: OwnOfProvider) => Promise<McpProvider>;

/** The provider that all have, and what makes others like it. Who opened them closes them. */
export interface OpenProviders {
  readonly provider: McpProvider;
  readonly makeProvider: MakeProvider;
  /** All that are open. */
  readonly providers: ReadonlySet<McpProvider>;
  /** When the status of a server of one of them is another one. */
  readonly onStatusChanged: McpProvider["onStatusChanged"];
}

/**
 * Makes the provider that all have, and prepares to make others, with the names that tools had the
 * last time: a tool has one name in all of them, and no two tools the same. Of `names` or
 * `savedNames` of the product's own, nothing is kept here. Rejects with `aborted` when the signal
 * of the options aborts first.
 */
export async function openProviders(means: ProviderMeans): Promise<OpenProviders> {
  const { options, closing, report, policy, configuration, connector, store, lock, catalogs } = means;
  const { telemetry, signInNews } = means;
  const { interceptors = [], requestInterceptors = [], naming, savedNames, ...given } = options.provider ?? {};
  // Results of another sign-in are given to no call.
  closing.add(signInNews.onAny(() => policy.clearCache()));
  const isOwn = given.names !== undefined || savedNames !== undefined;
  const kept = isOwn ? undefined : createKeptNames({ store, lock, providerName: given.name, naming, report });
  closing.add(() => kept?.close());
  // At the same time: a store that never answers is waited for once.
  const ids = configuration.specs.map(({ id }) => id);
  const recalling = Promise.all([kept?.recall(ids, options.signal), catalogs?.recall(means.servers, given.principal)]);
  const [recalled, listed] = await keepToSignal(recalling, options.signal);
  const names = given.names ?? createNameBook({ naming, savedNames: recalled ?? savedNames });
  const reserved = reservedOf(means);
  const common: ProviderOptions = {
    ...given,
    connector,
    names,
    admit: policy.admit,
    interceptors,
    requestInterceptors: [
      ...(telemetry === undefined ? [] : [telemetry.requestInterceptor]),
      ...requestInterceptors,
      policy.requestInterceptor,
    ],
    requestSeam: seamOf(means),
    reservedNames: reserved,
    onElicit: redactQuestions(options.onElicit, { policy, report }),
  };
  const providers = new Set<McpProvider>();
  const statusChanges = createEvent<ServerStatus>();
  const make = (own: OwnOfProvider, savedCatalog: unknown): McpProvider => {
    const { servers, name = given.name, principal = given.principal } = own;
    const provider = inOption("provider", () => createProvider({ ...common, servers, name, principal, savedCatalog }));
    catalogs?.follow(provider);
    providers.add(provider);
    // It ends with the provider, which may say at its end what a server left behind.
    provider.onDiagnostic(report);
    const ends: (() => unknown)[] = [policy.attach(provider)];
    const reportFailure = failureReport(report);
    ends.push(
      provider.onStatusChanged((status) => {
        statusChanges.emit(status);
        reportFailure(status);
      }),
    );
    ends.push(
      () => providers.delete(provider),
      signInNews.on(principal, ({ serverId, signedOut }) => {
        if (provider.hasServer(serverId)) provider.credentialsChanged(serverId, { signedOut }).catch(() => undefined);
      }),
    );
    if (telemetry !== undefined) ends.push(telemetry.watch({ provider }));
    if (kept !== undefined) ends.push(kept.follow(provider, names));
    provider.onClosed(() => ends.forEach((end) => end()));
    return provider;
  };
  return {
    provider: make({ servers: means.servers }, listed ?? given.savedCatalog),
    providers,
    onStatusChanged: statusChanges.on,
    async makeProvider(own) {
      const { servers, principal = given.principal } = own;
      return make(own, (await catalogs?.recall(servers, principal)) ?? given.savedCatalog);
    },
  };
}

/**
 * Reports servers that could not be started, connected to or listed: each failure once, until the
 * server is ready or fails for another reason. A sign-in that is missing is no failure.
 */
function failureReport(report: (diagnostic: Diagnostic) => void): (status: ServerStatus) => void {
  const reported = new Map<string, string>();
  return ({ id, state, auth, error }) => {
    if (state === "ready" || state === "removed") reported.delete(id);
    const hasFailed = state === "failed" || (state === "needs-auth" && auth !== "oauth");
    if (!hasFailed || error === undefined || reported.get(id) === error.message) return;
    reported.set(id, error.message);
    report({ kind: "server-failed", serverId: id, message: cleanText(error.rawMessage, 500) });
  };
}

/** What stands around every request: the breaker, and the context that servers are to get. */
function seamOf({ policy, configuration }: ProviderMeans): RequestSeam {
  const { requestSeam: guard } = policy;
  const pass = passContext((id) => configuration.passesContext(id));
  return guard === undefined ? pass : (request, send) => guard(request, () => pass(request, send));
}

function reservedOf({ options, configuration, ownTools }: ProviderMeans): readonly string[] {
  const { helperNames, precedence = "static" } = options.toolbox ?? {};
  const { reservedNames: reserved = [] } = options.provider ?? {};
  return [
    // A name is in two sources, and precedence decides, only where it is not reserved.
    ...reservedNames({
      tools: precedence === "static" ? ownTools : ownTools.filter((tool) => options.tools?.includes(tool) !== true),
      ...(helperNames !== undefined && { helperNames }),
    }),
    ...(options.authenticateTools === true
      ? authenticateToolNames(
          configuration.specs.map(({ id }) => id),
          options.provider?.naming,
        )
      : []),
    ...reserved,
  ];
}

const methodsWithContext: ReadonlySet<string> = new Set(["tools/call", "resources/list", "resources/read"]);

/**
 * Sends `session_id`, the conversation, `agent_id`, the role, and `correlation_id` as `_meta` of
 * calls and of reads to the servers that `isWanted` says. A member that the context does not have
 * is absent.
 */
function passContext(isWanted: (serverId: string) => boolean): RequestSeam {
  return (request, send) =>
    send(methodsWithContext.has(request.method) && isWanted(request.serverId) ? metaOf(request.context) : undefined);
}

function metaOf({ conversation, role, correlationId }: CallContext = {}): JsonObject | undefined {
  if (conversation === undefined && role === undefined && correlationId === undefined) return undefined;
  return {
    ...(role !== undefined && { agent_id: role }),
    ...(conversation !== undefined && { session_id: conversation }),
    ...(correlationId !== undefined && { correlation_id: correlationId }),
  };
}
