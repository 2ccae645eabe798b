import type { ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import type { RequestId } from "../message/json-rpc.ts";
import type { MessageSink } from "../message/message-sink.ts";

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
  /** Where its progress goes. Another one, once it goes on for another message. */
  sink: MessageSink;
  progressToken: RequestId | undefined;
  /** Least level of log lines that its client wants with it, in 2026-07-28. */
  logLevel: string | undefined;
  /** What its client can do. */
  capabilities: JsonObject;
  /** The tool that it calls, by the name that the client used. */
  toolName: string | undefined;
  /** The server that it reads from, or has a prompt of. */
  serverId: string | undefined;
  /** Present where its user can be asked. */
  ask?: AskUser;
}
