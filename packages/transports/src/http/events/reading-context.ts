import type { Random } from "@hostside/core";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { ReceivedMessageSink } from "./accept-message.ts";

/** What whoever reads messages from a server goes by. */
export interface ReadingContext {
  readonly endpoint: HttpEndpoint;
  readonly sink: ReceivedMessageSink;
  /** Bytes of one message of the server. */
  readonly maxMessageBytes: number;
  /** Spreads reconnections. */
  readonly random: Random;
}
