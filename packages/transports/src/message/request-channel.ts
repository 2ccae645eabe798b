import type { JsonObject, HostsideError } from "@hostside/core";
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
  notify(method: string, params: JsonObject | undefined): Promise<void>;
  /**
   * Rejects what waits and what comes, telling the server; then ends the session. Idempotent; never
   * rejects.
   */
  close(error: HostsideError, reason: string): Promise<void>;
}
