import type { JsonObject, ElicitationRequest, ElicitationResult } from "@hostside/core";
import type { RequestId } from "./json-rpc.ts";

/**
 * How much it matters that a message arrives: what is `"spare"` is left out where a client reads
 * slowly.
 */
export type MessagePriority = "needed" | "spare";

/** Takes messages for a client. */
export interface MessageSink {
  /**
   * Hands a message to the client's stream. `false`: the stream is gone, or has no room for what is
   * spare. Never throws.
   */
  send(message: JsonObject, weight?: MessagePriority): boolean;
  /**
   * True if it is over, so that the latest of what was handed to it may not have arrived. Absent:
   * it lasts as long as its client.
   */
  readonly isOver?: boolean;
}

/** Asks the user of a client. Resolves with `cancel` when nobody can be asked any more. */
export type AskUser = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationResult>;

/** A request of a client that is under way. */
export interface ActiveRequest {
  /** One of its own in this process: the `causationId` of what is done for it. */
  readonly uid: string;
  /** Grows with each request of this process. */
  readonly number: number;
  /** As its client has it; for a stream that is named after it. */
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the client gives it up, or the gateway ends. */
  readonly stop: AbortController;
  /** Takes its progress. Another one, once it goes on for another message. */
  sink: MessageSink;
  progressToken: RequestId | undefined;
  /** Least level of log lines that its client wants with it, in 2026-07-28. */
  logLevel: string | undefined;
  /** The capabilities of its client. */
  capabilities: JsonObject;
  /** The tool that it calls, by the name that the client used. */
  toolName: string | undefined;
  /** The server that it reads from, or has a prompt of. */
  serverId: string | undefined;
  /** Present where its user can be asked. */
  ask?: AskUser;
}
