import {
  createGateway,
  type Gateway,
  type GatewayClient,
  type GatewayOptions,
  type GatewayResources,
} from "@hostside/gateway";
import type { ServerLog, Event } from "@hostside/core";
import type { Host } from "../contract/host.ts";

/** How a host is served. */
export interface HostGatewayOptions extends Omit<GatewayOptions, "open" | "tools" | "catalog" | "effectOf"> {
  /**
   * Tools for clients, by local name. Default `"all"` that the host offers, which its `policy` and
   * `allowTool` decide.
   */
  readonly tools?: GatewayOptions["tools"] | undefined;
  /**
   * Resources and prompts for clients; `false`: none. Default: those of the servers that all share.
   */
  readonly resources?: GatewayResources | false | undefined;
  /**
   * Lines that servers log, for clients that ask for them. A line may be about another client's
   * call: give them where all clients are one user's. Default: none.
   */
  readonly onServerLog?: Event<ServerLog & { readonly serverId: string }> | undefined;
  /**
   * Returns the principal of a client for approvals, limits and connections. Default: the principal
   * that its token says.
   */
  readonly principalOf?: ((client: GatewayClient) => string | undefined) | undefined;
}

/**
 * Serves what a host has as one MCP server. Every client gets a conversation of its own, so that
 * its progress, questions, approvals, kept results, and the connections that are a conversation's
 * own, are nobody else's; it ends with its session. For questions of servers, and approvals, to
 * reach the client whose call they belong to, the host is made with
 * `onElicit: (request, signal) => gateway.elicit(request, signal)`, and `approveByClient()` as the
 * handler of its policy; for clients to hear at once that a server changed its tools, with
 * `provider: { refresh: "debounced" }`.
 *
 * Closing the gateway leaves the host open. Throws as `createGateway()` does.
 *
 * @example
 * const gateway = createHostGateway(host, { name: "product", version: "1.0.0", expose: "search" });
 * await using server = await listen(gateway, { port: 7077, auth: { token } });
 */
export function createHostGateway(host: Host, options: HostGatewayOptions): Gateway {
  const { tools = "all", resources = host.resources, onServerLog, principalOf, ...rest } = options;
  return createGateway({
    ...rest,
    tools,
    catalog: host,
    effectOf: (tool) => host.policy.effectOf(tool),
    async open(client) {
      const principal = principalOf === undefined ? client.principal : principalOf(client);
      const conversation = await host.conversation({
        ...client.view,
        id: client.id,
        ...(principal !== undefined && { principal }),
      });
      return {
        tools: conversation,
        ...(resources !== false && { resources }),
        ...(onServerLog !== undefined && { onServerLog }),
        close: () => conversation.close(),
      };
    },
  });
}
