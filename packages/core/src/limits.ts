/**
 * The defaults of {@linkcode ServerLimits}: generous for honest servers, small for a host's memory.
 */
export const defaultLimits = {
  /** Pages of one `tools/list`. Default 100; what was read up to there is kept. */
  maxPages: 100,
  /**
   * Tools of one server that are wanted by `allow` and `deny`. Default 10,000; what was read up to
   * there is kept.
   */
  maxTools: 10_000,
  /** UTF-16 units of a remote tool name. Default 1,024; a longer one costs that tool. */
  maxNameLength: 1024,
  /** UTF-16 units of a tool's description. Default 8,192; a longer one is cut and flagged. */
  maxDescriptionLength: 8192,
  /**
   * UTF-16 units of a tool's serialised input or output schema, and of all that its entry has
   * besides what is shown. Default 65,536; a larger one is left out, and the tool is flagged.
   */
  maxSchemaLength: 65_536,
  /**
   * Nesting of a schema. Default 64; a deeper one is left out, because walking it can exhaust a
   * stack, and the tool is flagged.
   */
  maxSchemaDepth: 64,
  /**
   * UTF-16 units of all tools of one listing, serialised. Default 33,554,432; what was read up to
   * there is kept.
   */
  maxListingLength: 33_554_432,
  /**
   * UTF-16 units of the server's own texts (title, description, instructions), each. Default
   * 32,768; a longer one is cut.
   */
  maxServerTextLength: 32_768,
  /** UTF-16 units of a pagination cursor. Default 65,536; a longer one ends the listing there. */
  maxCursorLength: 65_536,
  /**
   * Bytes of one message: a stdio line, an HTTP body after decompression, an SSE event. Default 12
   * MiB: 10,000 tools of a kilobyte each.
   */
  maxMessageBytes: 12_582_912,
  /**
   * JSON values of one message, counted before it is parsed: members, items and what they are in.
   * Default 100,000. To parse and to copy many small values stops everything else in the process.
   */
  maxMessageValues: 100_000,
  /**
   * Notifications per second that are acted on. Default 200; the rest is counted and coalesced,
   * never queued.
   */
  maxNotificationsPerSecond: 200,
  /** Questions that a server may ask a human during one call. Default 16; more are cancelled. */
  maxElicitationsPerCall: 16,
  /**
   * Questions that a server may ask a human in a minute, whatever they belong to. Default 30; more
   * are cancelled.
   */
  maxElicitationsPerMinute: 30,
  /**
   * Resources of one server that can be subscribed to at once. Default 1,000; one more is refused
   * with `overloaded`.
   */
  maxResourceSubscriptions: 1000,
  /** Bytes of stderr kept for error messages. Default 64 KiB. */
  stderrTailBytes: 65_536,
  /**
   * Calls of one server on the wire at once. Default 96, of which one conversation has 72; the
   * others wait in the queue.
   */
  maxInFlightCalls: 96,
  /** Calls of one server that may wait. Default 256; one more is refused with `overloaded`. */
  maxQueuedCalls: 256,
};

/**
 * How much a server may send. Every limit is a positive integer. An excess costs that piece
 * (a tool, a message), with a reason, never the server's other tools.
 */
export type ServerLimits = Readonly<typeof defaultLimits>;

/** The most milliseconds that any timeout may have: a day. To wait longer, ask again. */
export const longestTimeoutMs = 86_400_000;

/** The defaults of {@linkcode ServerTimeouts}. */
export const defaultTimeouts = {
  /**
   * From the start of a connection attempt, with every fallback, to a finished handshake. Default
   * 60,000: a first `npx` downloads.
   */
  connectMs: 60_000,
  /**
   * How long the probe of the 2026-07-28 era is out alone. Then `initialize` is sent as well, over
   * HTTP only to a server that answers `ping`. Default 5,000; over HTTP at least a quarter and at
   * most a third of `connectMs`. An answer that comes later still counts.
   */
  probeMs: 5000,
  /** For one whole `tools/list`, all pages. Default 30,000. */
  listMs: 30_000,
  /**
   * For one call: queueing, reconnect, refresh and the call itself. Default 600,000. Stands still
   * while a human answers, for at most `elicitTotalMs`.
   */
  callMs: 600_000,
  /** For a request that is no call, also if its caller allows more. Default 60,000. */
  requestMs: 60_000,
  /** For a human to answer an elicitation. Default 300,000. */
  elicitMs: 300_000,
  /**
   * How long a call's time may stand still for the questions of its server, all together; then it
   * runs on. Default 900,000.
   */
  elicitTotalMs: 900_000,
  /** For each step of a shutdown: end of stdin, then SIGTERM, then SIGKILL. Default 2,000. */
  closeMs: 2000,
};

/**
 * How long things may take, in milliseconds; every one is above 0 and at most
 * {@linkcode longestTimeoutMs}.
 */
export type ServerTimeouts = Readonly<typeof defaultTimeouts> & {
  /**
   * Longest silence of a server during a call; progress starts it anew. Default: none, `callMs`
   * alone counts.
   */
  readonly callIdleMs?: number;
};
