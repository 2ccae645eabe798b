import { authenticateToolNames } from "@toolport/auth";
import type { Connector, Store } from "@toolport/core";
import { reservedNames, type StaticTool } from "@toolport/discovery";
import { createProvider, type McpProvider } from "@toolport/provider";
import { createKeptNames } from "../names/keep-names.ts";
import { holdToAllowedUris } from "../settings/hold-to-allowed-uris.ts";
import { passContext } from "../settings/pass-context.ts";
import type { PartsContext } from "./parts-context.ts";

/** What a provider is made with. */
export interface ProviderMeans extends PartsContext {
  readonly connector: Connector;
  readonly ownTools: readonly StaticTool[];
  readonly store: Store;
}

/** Makes the provider, with the names that tools had the last time. Starts no server. */
export async function openProvider(means: ProviderMeans): Promise<McpProvider> {
  const { options, closing, clock, report, policy, configuration, connector, ownTools, store } = means;
  const {
    interceptors = [],
    requestInterceptors = [],
    reservedNames: reserved = [],
    ...given
  } = options.provider ?? {};
  const { helperNames } = options.toolbox ?? {};
  const { specs } = configuration;
  const ids = specs.map(({ id }) => id);
  const names =
    given.savedNames === undefined
      ? createKeptNames({ store, providerName: given.name, naming: given.naming, clock, report })
      : undefined;
  closing.add(() => names?.close());
  const savedNames = (await names?.recall(ids)) ?? given.savedNames;

  const pass = passContext((id) => {
    return configuration.extrasOf(id)?.passContext ?? configuration.config?.settings.passContext ?? false;
  });
  const provider = createProvider({
    ...given,
    connector,
    servers: specs,
    savedNames,
    admit: policy.admit,
    interceptors: [...policy.interceptors, ...interceptors, pass.interceptor],
    requestInterceptors: [
      ...requestInterceptors,
      holdToAllowedUris(() => configuration.config?.settings.allowedResourceUris ?? []),
      pass.requestInterceptor,
    ],
    reservedNames: [
      ...reservedNames({ tools: ownTools, ...(helperNames !== undefined && { helperNames }) }),
      ...(options.authenticateTools === true ? authenticateToolNames(ids) : []),
      ...reserved,
    ],
    onElicit: options.onElicit,
    clock,
  });
  closing.add((reason) => provider.close(reason));
  const ends = [provider.onDiagnostic(report), policy.attach(provider)];
  closing.add(() => ends.forEach((end) => end()));
  names?.follow(provider);
  return provider;
}
