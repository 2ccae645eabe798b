import {
  createGateway,
  type Gateway,
  type GatewayClient,
  type GatewayOptions,
  type GatewayResources,
} from "@toolport/gateway";
import type { ServerLog, Event } from "@toolport/core";
import type { Toolport } from "../toolport.ts";

/** How a toolport is served. */
export interface ToolportGatewayOptions extends Omit<GatewayOptions, "open" | "tools" | "catalog"> {
  /** Which tools there are for clients, by local name. Default `"all"` that the toolport offers, which its `policy` and `admit` decide. */
  readonly tools?: GatewayOptions["tools"] | undefined;
  /**
   * Resources and prompts for clients; `false`: none. Default: those of the servers that all share.
   */
  readonly resources?: GatewayResources | false | undefined;
  /**
   * Lines that servers log, for clients that ask for them. A line may be about another client's call: give them where all clients are one user's. Default: none.
   */
  readonly onServerLog?: Event<ServerLog & { readonly serverId: string }> | undefined;
  /** Who the client is to approvals, limits and connections. Default: the principal that its token says. */
  readonly principalOf?: ((client: GatewayClient) => string | undefined) | undefined;
}

/**
 * Serves what a toolport has as one MCP server. Every client gets a conversation of its own, so that its progress, questions, approvals, kept results, and the connections
 * that are a conversation's own, are nobody else's; it ends with its session. For questions of servers, and approvals, to reach the client whose call they belong to, the toolport is made with
 * `onElicit: (request, signal) => gateway.elicit(request, signal)`, and `approveByClient()` as the handler of its policy; for clients to hear at once that a server changed its tools, with
 * `provider: { refresh: "debounced" }`.
 *
 * Closing the gateway leaves the toolport open. Throws as `createGateway()` does.
 */
export function createToolportGateway(toolport: Toolport, options: ToolportGatewayOptions): Gateway {
  const { tools = "all", resources = toolport.resources, onServerLog, principalOf, ...rest } = options;
  return createGateway({
    ...rest,
    tools,
    catalog: toolport,
    async open(client) {
      const principal = principalOf === undefined ? client.principal : principalOf(client);
      const conversation = await toolport.openConversation({
        ...client.view,
        id: client.id,
        ...(principal !== undefined && { principal }),
      });
      return {
        tools: conversation,
        ...(resources !== false && { resources }),
        ...(onServerLog !== undefined && { onServerLog }),
        onServerNotification: toolport.provider.onServerNotification,
        close: () => conversation.close(),
      };
    },
  });
}
