/**
 * The headers of a request that a stream may answer. A middleware that compresses and does not
 * flush holds events back, so that none is asked for.
 */
export const acceptStream = { accept: "text/event-stream", "accept-encoding": "identity" } as const;
