import type { Cancel, ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import type { RpcFailure } from "../message/json-rpc.ts";
import type { MessageSink } from "../message/message-sink.ts";
import type { ActiveRequest } from "../peer/active-request.ts";

/** How a task ended: as its call would have, or because it was given up. */
export type TaskEnd =
  | { readonly kind: "completed"; readonly result: JsonObject }
  | { readonly kind: "failed"; readonly failure: RpcFailure }
  | { readonly kind: "cancelled" };

/** A question to the user that a task waits for. */
export interface TaskQuestion {
  readonly request: ElicitationRequest;
  readonly settle: (answer: ElicitationResult) => void;
}

/**
 * A call of one client that goes on without a request, and the result of it until its time is over.
 */
export interface Task {
  readonly id: string;
  /**
   * Of whose call it is; absent once it has ended, so that nothing of its arguments is kept with
   * the result.
   */
  request: ActiveRequest | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  updatedAt: number;
  /** How long it is kept, from its creation. */
  readonly ttlMs: number;
  /** What its server said of it last, or of its progress. */
  message: string | undefined;
  /**
   * Open questions, by the key that the client knows them by. While there is one, the task is
   * `input_required`.
   */
  readonly questions: Map<string, TaskQuestion>;
  asked: number;
  /** Absent while it goes on. Set once. */
  end: TaskEnd | undefined;
  /** Its client had what came of it, or gave it up: from then on it makes room for others. */
  isFetched: boolean;
  /** UTF-16 units of the result that is kept. */
  bytes: number;
  /** Streams of requests that wait for its end, which what belongs to it may go over. */
  readonly sinks: Set<MessageSink>;
  /** Called when it has ended, or its time is over. */
  readonly waiting: Set<() => void>;
  cancelTimer: Cancel;
}
