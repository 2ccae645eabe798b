import type { JsonObject } from "./json.ts";
import type { ServerPeer } from "./server-peer.ts";
import type { HostsideError } from "./hostside-error.ts";

/** What a provider did with one server by itself: one record when it is over. */
export interface ServerRecord {
  readonly serverId: string;
  /**
   * `connect`: an attempt to open a session, with every fallback and the handshake; `list`: one
   * `tools/list`, all pages; `session`: from the moment that it was open until it was given up or
   * lost.
   */
  readonly operation: "connect" | "list" | "session";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** In milliseconds. An attempt that waited for a turn to start began after that. */
  readonly durationMs: number;
  readonly peer: ServerPeer;
  /** What it failed with; of a session, why it ended. */
  readonly error?: HostsideError;
  /** How many tools a listing had. */
  readonly toolCount?: number;
}

/** Something that a provider begins to do with one server by itself. */
export interface ServerOperation {
  readonly serverId: string;
  /** As in its record. */
  readonly operation: "connect" | "list";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * Has somebody hear of it. To be called while the operation is announced; later it has no effect.
   */
  readonly observe: (observer: ServerObserver) => void;
}

/**
 * Hears what becomes of one operation. What a member throws goes to the runtime's handler of
 * uncaught errors, and disturbs nothing else.
 */
export interface ServerObserver {
  /**
   * Asked with each request that the operation takes: those of the handshake, that for a stream of
   * changes, each page of a listing. What it returns goes along in `_meta`, where the protocol's
   * own members win; of several observers, the first.
   */
  readonly meta?: (() => JsonObject | undefined) | undefined;
  /** The operation is over. Called once, before `onServerRecord` fires with the same record. */
  readonly onRecord?: ((record: ServerRecord) => void) | undefined;
}
