/**
 * How much a server may send. Every limit is a positive integer. What exceeds one costs that piece
 * (a tool, a message), with a reason, never the server's other tools.
 */
export interface ServerLimits {
  /** Pages of one `tools/list`. Default 100; what was read up to there is kept. */
  readonly maxPages: number;
  /**
   * Tools of one server that are wanted by `allow` and `deny`. Default 10,000; what was read up to
   * there is kept.
   */
  readonly maxTools: number;
  /** UTF-16 units of a remote tool name. Default 1,024; a longer one costs that tool. */
  readonly maxNameLength: number;
  /** UTF-16 units of a tool's description. Default 8,192; a longer one is cut and flagged. */
  readonly maxDescriptionLength: number;
  /**
   * UTF-16 units of a tool's serialised input or output schema, and of all that its entry has
   * besides what is shown. Default 65,536; a larger one is left out, and the tool is flagged.
   */
  readonly maxSchemaLength: number;
  /**
   * Nesting of a schema. Default 64; a deeper one is left out, because walking it can exhaust a
   * stack, and the tool is flagged.
   */
  readonly maxSchemaDepth: number;
  /**
   * UTF-16 units of all tools of one listing, serialised. Default 33,554,432; what was read up to
   * there is kept.
   */
  readonly maxListingLength: number;
  /**
   * UTF-16 units of the server's own texts (title, description, instructions), each. Default
   * 32,768; a longer one is cut.
   */
  readonly maxServerTextLength: number;
  /** UTF-16 units of a pagination cursor. Default 65,536; a longer one ends the listing there. */
  readonly maxCursorLength: number;
  /**
   * Bytes of one message: a stdio line, an HTTP body after decompression, an SSE event. Default 12
   * MiB: 10,000 tools of a kilobyte each.
   */
  readonly maxMessageBytes: number;
  /**
   * JSON values of one message, counted before it is parsed: members, items and what they are in.
   * Default 100,000. To parse and to copy many small values stops everything else in the process.
   */
  readonly maxMessageValues: number;
  /**
   * Notifications per second that are acted on. Default 200; the rest is counted and coalesced,
   * never queued.
   */
  readonly maxNotificationsPerSecond: number;
  /** Questions that a server may ask a human during one call. Default 16; more are cancelled. */
  readonly maxElicitationsPerCall: number;
  /**
   * Questions that a server may ask a human in a minute, whatever they belong to. Default 30; more
   * are cancelled.
   */
  readonly maxElicitationsPerMinute: number;
  /**
   * Resources of one server that can be subscribed to at once. Default 1,000; one more is refused
   * with `overloaded`.
   */
  readonly maxResourceSubscriptions: number;
  /** Bytes of stderr kept for error messages. Default 64 KiB. */
  readonly stderrTailBytes: number;
  /** Calls of one server on the wire at once. Default 64; the others wait in the queue. */
  readonly maxInFlightCalls: number;
  /** Calls of one server that may wait. Default 256; one more is refused with `overloaded`. */
  readonly maxQueuedCalls: number;
}

/**
 * The defaults of {@linkcode ServerLimits}: generous for honest servers, small for a host's memory.
 */
export const defaultLimits: ServerLimits = {
  maxPages: 100,
  maxTools: 10_000,
  maxNameLength: 1024,
  maxDescriptionLength: 8192,
  maxSchemaLength: 65_536,
  maxSchemaDepth: 64,
  maxListingLength: 32 * 1024 * 1024,
  maxServerTextLength: 32_768,
  maxCursorLength: 65_536,
  maxMessageBytes: 12 * 1024 * 1024,
  maxMessageValues: 100_000,
  maxNotificationsPerSecond: 200,
  maxElicitationsPerCall: 16,
  maxElicitationsPerMinute: 30,
  maxResourceSubscriptions: 1000,
  stderrTailBytes: 64 * 1024,
  maxInFlightCalls: 64,
  maxQueuedCalls: 256,
};

/** The most milliseconds that any timeout may have: a day. Who wants to wait longer asks again. */
export const longestTimeoutMs = 86_400_000;

/**
 * How long things may take, in milliseconds; every one is above 0 and at most
 * {@linkcode longestTimeoutMs}.
 */
export interface ServerTimeouts {
  /**
   * From the start of a connection attempt, with every fallback, to a finished handshake. Default
   * 60,000: a first `npx` downloads.
   */
  readonly connectMs: number;
  /**
   * How long the probe of the 2026-07-28 era is out alone. Then `initialize` is sent as well, over
   * HTTP only to a server that answers `ping`. Default 5,000; over HTTP at least a quarter and at
   * most a third of `connectMs`. An answer that comes later still counts.
   */
  readonly probeMs: number;
  /** For one whole `tools/list`, all pages. Default 30,000. */
  readonly listMs: number;
  /**
   * For one call: queueing, reconnect, refresh and the call itself. Default 600,000. Stands still
   * while a human answers, for at most `elicitTotalMs`.
   */
  readonly callMs: number;
  /**
   * Longest silence of a server during a call; progress starts it anew. Default: none, `callMs`
   * alone counts.
   */
  readonly callIdleMs?: number;
  /** For a request that is no call, also if its caller allows more. Default 60,000. */
  readonly requestMs: number;
  /** For a human to answer an elicitation. Default 300,000. */
  readonly elicitMs: number;
  /**
   * How long a call's time may stand still for the questions of its server, all together; then it
   * runs on. Default 900,000.
   */
  readonly elicitTotalMs: number;
  /** For each step of a shutdown: end of stdin, then SIGTERM, then SIGKILL. Default 2,000. */
  readonly closeMs: number;
}

/** The defaults of {@linkcode ServerTimeouts}. */
export const defaultTimeouts: ServerTimeouts = {
  connectMs: 60_000,
  probeMs: 5000,
  listMs: 30_000,
  callMs: 600_000,
  requestMs: 60_000,
  elicitMs: 300_000,
  elicitTotalMs: 900_000,
  closeMs: 2000,
};
