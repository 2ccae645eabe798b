import type { Cancel, JsonObject, HostsideError } from "@hostside/core";
import type { ActiveClocks } from "../time/active-clock.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";

/** What a connection needs below it: a wire, or an SDK client that somebody else connected. */
export interface RequestChannel {
  /** Time that stands still while a human answers; the deadlines of requests go by it. */
  readonly activeClock: ActiveClocks;
  /** The session that the server opened, if it did. */
  readonly sessionId?: string | undefined;
  /** Whether more can be sent. Absent: that is not known. */
  readonly isOpen?: boolean | undefined;
  request(request: OutgoingRequest): Promise<JsonObject>;
  /**
   * Keeps a call in mind that goes on after its request was answered: its progress, and what its
   * server says and asks with the name of its task. `onStatus` is called when there is something
   * new of the task. Absent: nothing of that is heard.
   */
  follow?(request: OutgoingRequest, onStatus: () => void): FollowedCall;
  notify(method: string, params: JsonObject | undefined): Promise<void>;
  /**
   * Rejects what waits and what comes, telling the server; then ends the session. Idempotent; never
   * rejects.
   */
  close(error: HostsideError, reason: string): Promise<void>;
}

/** A call that goes on after its request was answered. */
export interface FollowedCall {
  /** What its progress comes under. */
  readonly progressToken: string;
  /** Its server calls the task so. */
  named(taskId: string): void;
  /** It is over. Idempotent. */
  readonly end: Cancel;
}
