import type { JsonObject } from "@hostside/core";
import type { ParkedCalls } from "../asking/parked-calls.ts";
import type { ActiveRequest } from "../message/active-request.ts";
import type { ExposedTools } from "../offer/exposed-tools.ts";
import type { RoutedResources } from "../offer/routed-resources.ts";
import type { PeerNews } from "./peer-news.ts";
import type { PeerSubscriptions } from "./peer-subscriptions.ts";
import type { GatewayClient, GatewayConversation } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/** The parts that answer the requests of one client. */
export interface PeerContext {
  readonly settings: GatewaySettings;
  readonly client: GatewayClient;
  readonly conversation: GatewayConversation;
  readonly exposed: ExposedTools;
  readonly resources: RoutedResources | undefined;
  readonly news: PeerNews;
  readonly parked: ParkedCalls;
  readonly subscriptions: PeerSubscriptions;
}

/**
 * Answers one kind of request. Throws an `rpcError`, or anything else, which is then an internal
 * error.
 */
export type PeerRequestHandler = (context: PeerContext, request: ActiveRequest) => JsonObject | Promise<JsonObject>;
