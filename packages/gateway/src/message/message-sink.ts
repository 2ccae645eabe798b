import type { JsonObject } from "@hostside/core";

/**
 * How much it matters that a message arrives: what is `"spare"` is left out where a client reads
 * slowly.
 */
export type MessagePriority = "needed" | "spare";

/** Where messages for a client go. */
export interface MessageSink {
  /**
   * Hands a message to the client's stream. `false`: the stream is gone, or has no room for what is
   * spare. Never throws.
   */
  send(message: JsonObject, weight?: MessagePriority): boolean;
  /**
   * Whether it is over, so that the latest of what was handed to it may not have arrived. Absent:
   * it lasts as long as its client.
   */
  readonly isOver?: boolean;
}
