import type { ServerPeer } from "./server-peer.ts";
import type { ToolportError } from "./toolport-error.ts";

/** What a provider did with one server by itself: one record when it is over. */
export interface ServerRecord {
  readonly serverId: string;
  /**
   * `connect`: an attempt to open a session, with every fallback and the handshake; `list`: one `tools/list`, all pages; `session`: from the
   * moment that it was open until it was given up or lost.
   */
  readonly operation: "connect" | "list" | "session";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds. An attempt that waited for a turn to start began after that. */
  readonly durationMs: number;
  readonly peer: ServerPeer;
  /** What it failed with; of a session, why it ended. */
  readonly error?: ToolportError;
  /** How many tools a listing had. */
  readonly toolCount?: number;
}
