import { readConfig, type ServerExtras } from "@toolport/config";
import {
  loadConfig,
  watchConfig,
  type ConfigReport,
  type ConfigTarget,
  type LoadedConfig,
} from "@toolport/config/node";
import type { Connector, Diagnostic, ServerSpec } from "@toolport/core";
import { createEvent } from "@toolport/core/implement";
import { createToolbox, reservedNames } from "@toolport/discovery";
import { createPolicy, type Policy, type PolicyOptions } from "@toolport/policy";
import { createProvider } from "@toolport/provider";
import { createResources, createResourceTools } from "@toolport/resources";
import { createMemorySink, createResults, type Results, type ResultsOptions } from "@toolport/results";
import { createConnector, type ConnectorOptions } from "@toolport/transports";
import { createConversation } from "./conversation/create-conversation.ts";
import { chooseAuth } from "./auth/choose-auth.ts";
import { signInWhereAsked } from "./auth/sign-in-where-asked.ts";
import { chooseState } from "./state/choose-state.ts";
import type { ConfigOptions, ToolportOptions } from "./toolport-options.ts";
import type { Toolport } from "./toolport.ts";

/**
 * Connects to the servers that are configured, and composes everything that a product needs of them. Resolves within `timeoutMs` with what is ready by then; who is
 * late, and who failed, is in `statuses()`. Shows nobody a page and asks nobody anything.
 */
export async function createToolport(options: ToolportOptions = {}): Promise<Toolport> {
  const { clock, tools = [], timeoutMs = 10_000, signal, onElicit } = options;
  const diagnostics = createEvent<Diagnostic>();
  if (options.onDiagnostic !== undefined) diagnostics.on(options.onDiagnostic);
  const reports = createEvent<ConfigReport>();
  let config: LoadedConfig | undefined;
  const extrasOf = (serverId: string): ServerExtras | undefined =>
    config?.sources.find((source) => source.serverId === serverId)?.extras;

  const state = chooseState(options);
  const auth = chooseAuth(options.auth, { state, extrasOf, clock });
  const policy = choosePolicy(options.policy, { store: state.store, clock });
  const results = chooseResults(options.results, { clock, onDiagnostic: (one) => diagnostics.emit(one) });
  const connector = chooseConnector(options.connector, auth.authProvider);
  const own = [...tools, results.tool];
  const layers = { admit: policy.admit, interceptors: policy.interceptors };
  const provider = createProvider({
    connector,
    ...layers,
    reservedNames: reservedNames({ tools: own }),
    onElicit,
    clock,
    ...options.provider,
  });
  const { tools: resourceTools = {}, ...resourcesOptions } = options.resources ?? {};
  const resources = createResources(provider, resourcesOptions);
  const providers = resourceTools === false ? [provider] : [provider, createResourceTools(resources, resourceTools)];
  const toolbox = createToolbox({
    tools: own,
    providers,
    ...layers,
    onDiagnostic: (one) => diagnostics.emit(one),
    ...options.toolbox,
  });
  const attached = [policy.attach(provider), provider.onDiagnostic((one) => diagnostics.emit(one))];

  const given = Array.isArray(options.servers) ? (options.servers as readonly ServerSpec[]) : [];
  const prepare = (specs: readonly ServerSpec[]): readonly ServerSpec[] => {
    const rest = specs.filter(({ id }) => !given.some((spec) => spec.id === id));
    return [...rest, ...given].map((spec) => (auth.authProvider === undefined ? spec : signInWhereAsked(spec)));
  };
  let isStarted = false;
  const target: ConfigTarget = {
    async applyServers(specs, applyOptions) {
      const prepared = prepare(specs);
      if (isStarted) return provider.applyServers(prepared, applyOptions);
      for (const spec of prepared) provider.registerServer(spec);
      return { added: prepared.map(({ id }) => id), updated: [], removed: [], failed: [] };
    },
  };
  const loadOptions = readConfigOptions(options);
  const { watch = true, only: _only, ...load } = loadOptions ?? {};
  const watching = loadOptions !== undefined && watch ? await watchConfig({ ...load, clock, target }) : undefined;
  if (watching !== undefined) {
    ({ config } = watching);
    watching.onReport((report) => {
      ({ config } = report);
      reports.emit(report);
    });
  } else {
    config = loadOptions === undefined ? undefined : await loadConfig({ ...load, signal });
    await target.applyServers(config?.servers ?? []);
  }
  isStarted = true;
  await provider.init({ timeoutMs, signal });

  const close = async (reason?: string): Promise<void> => {
    await watching?.close();
    for (const end of attached) end();
    toolbox.close(reason);
    await resources.close();
    await provider.close(reason);
    await results.close();
    await auth.close();
    diagnostics.close();
    reports.close();
  };
  return {
    provider,
    toolbox,
    policy,
    resources,
    results,
    oauth: auth.oauth,
    get config() {
      return config;
    },
    conversation: (conversationOptions) => createConversation({ toolbox, results }, conversationOptions),
    definitions: (names) => toolbox.definitions(names),
    call: (name, args, callOptions) => toolbox.call(name, args, { wait: "servers", ...callOptions }),
    statuses: () => provider.statuses(),
    onStatusChanged: provider.onStatusChanged,
    onToolsChanged: toolbox.onToolsChanged,
    onConfigReport: reports.on,
    onDiagnostic: diagnostics.on,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function readConfigOptions({ config, servers }: ToolportOptions): ConfigOptions | undefined {
  const entries = servers === undefined || Array.isArray(servers) ? undefined : servers;
  if (config === undefined && entries === undefined) return undefined;
  const options: ConfigOptions =
    config === undefined
      ? { files: [], watch: false }
      : config === "auto"
        ? { files: "auto" }
        : typeof config === "string"
          ? { files: [config] }
          : Array.isArray(config)
            ? { files: config as readonly string[] }
            : (config as ConfigOptions);
  if (entries === undefined) return options;
  const layer = {
    scope: "command-line",
    result: readConfig({ mcpServers: entries }, { dialect: "mcp-json" }),
  } as const;
  return { ...options, layers: [...(options.layers ?? []), layer] };
}

function choosePolicy(given: ToolportOptions["policy"], defaults: PolicyOptions): Policy {
  return given !== undefined && "explain" in given ? given : createPolicy({ ...defaults, ...given });
}

function chooseResults(given: ToolportOptions["results"], defaults: Partial<ResultsOptions>): Results {
  if (given !== undefined && "present" in given) return given;
  return createResults({ sink: createMemorySink({ clock: defaults.clock }), ...defaults, ...given });
}

function chooseConnector(
  given: ToolportOptions["connector"],
  authProvider: ConnectorOptions["authProvider"],
): Connector {
  if (given !== undefined && "connect" in given) return given;
  return createConnector({ ...given, ...(authProvider !== undefined && { authProvider }) });
}
