import type { Random, ServerLimits } from "@hostside/core";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { ReceivedMessageSink } from "./accept-message.ts";

/** What whoever reads messages from a server goes by. */
export interface ReadingContext {
  readonly endpoint: HttpEndpoint;
  readonly sink: ReceivedMessageSink;
  /** How large one message of the server may be. */
  readonly limits: Pick<ServerLimits, "maxMessageBytes" | "maxMessageValues">;
  /** Spreads reconnections. */
  readonly random: Random;
}
