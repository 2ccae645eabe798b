import type { Random, ToolportError } from "@toolport/core";
import type { MessageSink } from "./accept-message.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";

/** What the parts of one transport have in common. */
export interface Channel {
  readonly endpoint: HttpEndpoint;
  readonly sink: MessageSink;
  /** Bytes of one message of the server. */
  readonly maxMessageBytes: number;
  /** Spreads reconnections. */
  readonly random: Random;
}

/** Something under way that can be taken back; whoever waits for it gets `reason`. */
export interface Cancellable {
  cancel(reason: ToolportError): void;
}
