import { inOption } from "../contract/check-options.ts";
import { cleanText, type Diagnostic, type RequestSeam, type ServerSpec } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { reservedNames, type StaticTool } from "@hostside/discovery";
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

/** The options of one provider that others have not. */
export interface OwnOfProvider {
  readonly servers: readonly ServerSpec[];
  /** Default: that of the options. */
  readonly name?: string | undefined;
  /** Default: that of the options. */
  readonly principal?: string | undefined;
}

/** The provider that all conversations share, and a way to make others like it. */
export interface OpenProviders {
  readonly provider: McpProvider;
  /**
   * Makes a provider with the tools that it had before, and starts no server. The caller closes it.
   */
  readonly makeProvider: (own: OwnOfProvider) => Promise<McpProvider>;
  /** All that are open. */
  readonly providers: ReadonlySet<McpProvider>;
  /** Fires when the status of a server of one of them changes. */
  readonly onStatusChanged: McpProvider["onStatusChanged"];
  /** Writes listings that are not written yet. Call it before any provider is closed. */
  readonly close: () => unknown;
}

/**
 * Makes the provider of `servers`, which all share, and prepares to make others, with the names
 * that tools had the last time. With `names`, `savedNames` or `savedCatalog` of the product's own,
 * the same is not kept here. Rejects with `aborted` when the signal of the options aborts first.
 */
export async function openProviders(
  context: PartsContext,
  servers: readonly ServerSpec[],
  ownTools: readonly StaticTool[],
): Promise<OpenProviders> {
  const { options, closing, report, policy, configuration, connector, telemetry, state, auth } = context;
  const { requestInterceptors = [], naming, savedNames, ...given } = options.provider ?? {};
  const { savedCatalogs = typeof options.state === "object" || options.pool !== undefined } = options;
  // Results of another sign-in are given to no call.
  closing.add(auth.signInNews.onAny(() => policy.clearCache()));
  const isOwn = given.names !== undefined || savedNames !== undefined;
  const keepsNames = !isOwn && state.outlives;
  const kept = keepsNames ? createKeptNames({ ...state, providerName: given.name, naming, report }) : undefined;
  closing.add(() => kept?.close());
  const catalogs =
    savedCatalogs && given.savedCatalog === undefined
      ? (await import("@hostside/cluster")).createKeptCatalog({ store: state.store, onDiagnostic: report })
      : undefined;
  // At the same time: a store that never answers is waited for once.
  const ids = configuration.specs.map(({ id }) => id);
  const recalling = Promise.all([kept?.recall(ids, options.signal), catalogs?.recall(servers, given.principal)]);
  const [recalled, listed] = await keepToSignal(recalling, options.signal);
  const names = given.names ?? createNameBook({ naming, savedNames: recalled ?? savedNames });
  const common: ProviderOptions = {
    ...given,
    connector,
    names,
    admit: policy.admit,
    requestInterceptors: [
      ...(telemetry === undefined ? [] : [telemetry.requestInterceptor]),
      ...requestInterceptors,
      policy.requestInterceptor,
    ],
    requestSeam: seamOf(context),
    reservedNames: [...reservedOf(context, ownTools), ...(await signInNames(context))],
    onElicit: redactQuestions(options.onElicit, { policy, report }),
  };
  const providers = new Set<McpProvider>();
  const statusChanges = createEvent<ServerStatus>();
  const make = (own: OwnOfProvider, savedCatalog: unknown): McpProvider => {
    const { servers: specs, name = given.name, principal = given.principal } = own;
    const provider = inOption("provider", () =>
      createProvider({ ...common, servers: specs, name, principal, savedCatalog }),
    );
    catalogs?.follow(provider);
    providers.add(provider);
    // It ends with the provider, which may say at its end what a server left behind.
    provider.onDiagnostic(report);
    const reportFailure = failureReport(report);
    const ends: ((() => unknown) | undefined)[] = [
      policy.attach(provider),
      provider.onStatusChanged((status) => {
        statusChanges.emit(status);
        reportFailure(status);
      }),
      () => providers.delete(provider),
      auth.signInNews.on(principal, ({ serverId, signedOut }) => {
        if (provider.hasServer(serverId)) provider.credentialsChanged(serverId, { signedOut }).catch(() => undefined);
      }),
      telemetry?.watch({ provider }),
      kept?.follow(provider, names),
    ];
    provider.onClosed(() => ends.forEach((end) => end?.()));
    return provider;
  };
  const provider = make({ servers }, listed ?? given.savedCatalog);
  closing.add((reason) => provider.close(reason));
  return {
    provider,
    providers,
    onStatusChanged: statusChanges.on,
    async makeProvider(own) {
      const { servers: specs, principal = given.principal } = own;
      return make(own, (await catalogs?.recall(specs, principal)) ?? given.savedCatalog);
    },
    close: () => catalogs?.close(),
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

function reservedOf({ options }: PartsContext, ownTools: readonly StaticTool[]): readonly string[] {
  const { precedence = "static" } = options.toolbox ?? {};
  const { reservedNames: reserved = [] } = options.provider ?? {};
  return [
    // A name is in two sources, and precedence decides, only where it is not reserved.
    ...reservedNames({
      tools: precedence === "static" ? ownTools : ownTools.filter((tool) => options.tools?.includes(tool) !== true),
    }),
    ...reserved,
  ];
}

async function signInNames({ options, configuration }: PartsContext): Promise<readonly string[]> {
  if (options.authenticateTools !== true) return [];
  const { authenticateToolNames } = await import("@hostside/auth");
  const ids = configuration.specs.map(({ id }) => id);
  return authenticateToolNames(ids, options.provider?.naming);
}

const methodsWithContext: ReadonlySet<string> = new Set(["tools/call", "resources/list", "resources/read"]);

/**
 * The breaker, and the `_meta` of calls and reads to servers that are to get their context:
 * `session_id`, the conversation, `agent_id`, the role, and `correlation_id`, as far as it has
 * them.
 */
function seamOf({ policy, configuration }: PartsContext): RequestSeam {
  const { requestSeam: guard } = policy;
  const sendWithContext: RequestSeam = ({ method, serverId, context = {} }, send) => {
    const { conversation, role, correlationId } = context;
    const isWanted = methodsWithContext.has(method) && configuration.passesContext(serverId);
    if (!isWanted || (conversation ?? role ?? correlationId) === undefined) return send(undefined);
    return send({
      ...(role !== undefined && { agent_id: role }),
      ...(conversation !== undefined && { session_id: conversation }),
      ...(correlationId !== undefined && { correlation_id: correlationId }),
    });
  };
  return guard === undefined
    ? sendWithContext
    : (request, send) => guard(request, () => sendWithContext(request, send));
}
