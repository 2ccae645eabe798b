import type { Clients } from "../clients.ts";
import type { GatewaySettings } from "../gateway-options.ts";
import type { HeldPeers } from "./held-peers.ts";
import type { GatewayHttpExchange } from "./http-exchange.ts";

/** What one exchange is answered with. */
export interface HttpParts {
  readonly settings: GatewaySettings;
  readonly clients: Clients;
  readonly held: HeldPeers;
  readonly exchange: GatewayHttpExchange;
  /** Whose token let it in. */
  readonly principal: string | undefined;
  /** Whose sessions it may use. */
  readonly owner: string | undefined;
}
