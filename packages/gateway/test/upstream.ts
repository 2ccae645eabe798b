import type { ElicitationRequest, ElicitationResult, ServerSpec } from "@hostside/core";
import { createToolbox, type Toolbox } from "@hostside/discovery";
import { fixtureServer, type StdioFixture } from "@hostside/fixtures";
import { createProvider, type McpProvider, type ProviderOptions } from "@hostside/provider";
import { createResources, type Resources } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";
import { createGateway, type Gateway, type GatewayClient, type GatewayOptions } from "@hostside/gateway";

/** Real servers behind a gateway. */
export interface World extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly provider: McpProvider;
  readonly toolbox: Toolbox;
  readonly resources: Resources;
  /** Every client that came, in order. */
  readonly clients: GatewayClient[];
}

/** What a world is made from. */
export interface WorldOptions {
  readonly servers?: readonly (StdioFixture | ServerSpec)[];
  readonly gateway?: Partial<GatewayOptions>;
  readonly provider?: Partial<ProviderOptions>;
  readonly withResources?: boolean;
}

/** Starts it, and waits until the servers are there. */
export async function openWorld({
  servers = ["legacy-stdio"],
  withResources = false,
  ...options
}: WorldOptions = {}): Promise<World> {
  const asked: { gateway?: Gateway } = {};
  const onElicit = (request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult> =>
    asked.gateway?.elicit(request, signal) ?? Promise.reject(new Error("there is no gateway yet"));
  const specs = servers.map((server): ServerSpec =>
    typeof server === "string" ? { id: server, type: "stdio", ...fixtureServer(server) } : server,
  );
  const provider = createProvider({
    connector: createConnector({ tasks: true }),
    servers: specs,
    onElicit,
    refresh: "debounced",
    ...options.provider,
  });
  const toolbox = createToolbox({ providers: [provider] });
  const resources = createResources(provider);
  await toolbox.init();
  const clients: GatewayClient[] = [];
  const gateway = createGateway({
    name: "test-gateway",
    version: "1.0.0",
    expose: "all",
    tools: "all",
    open(client) {
      clients.push(client);
      return {
        tools: toolbox.view(client.view),
        ...(withResources && { resources }),
        onServerLog: provider.onServerLog,
      };
    },
    ...options.gateway,
  });
  asked.gateway = gateway;
  return {
    gateway,
    provider,
    toolbox,
    resources,
    clients,
    async [Symbol.asyncDispose]() {
      await gateway.close("test over", { drainMs: 1 });
      await resources.close();
      toolbox.close();
      await provider.close();
    },
  };
}
