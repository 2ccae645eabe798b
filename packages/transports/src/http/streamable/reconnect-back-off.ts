import { isJsonObject } from "@hostside/core/implement";

const firstDelayMs = 1000;
const shortestDelayMs = 250;
const longestDelayMs = 60_000;

/** When to open a stream again that ended. */
export interface ReconnectState {
  /** How many streams in a row brought nothing, this one included. */
  readonly barren: number;
  /** The delay that the server asked for: `retry:` or `Retry-After`. */
  readonly serverMs: number | undefined;
}

/**
 * Milliseconds to wait: what the server asked for, but never less than a backoff that grows with
 * every stream that brought nothing, from 1 s to 1 min, and is spread by up to a fifth so that
 * hosts do not come back all at once. At least 250 ms and at most a minute, whatever the server
 * asks.
 */
export function reconnectDelayMs({ barren, serverMs }: ReconnectState): number {
  const backoffMs =
    barren === 0 ? shortestDelayMs : firstDelayMs * 2 ** (Math.min(barren, 10) - 1) * (1 + Math.random() / 5);
  return Math.min(Math.max(serverMs ?? firstDelayMs, backoffMs), longestDelayMs);
}

/** True if a status says that the same request may well succeed later. */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Which events came already, on a stream that is resumed. */
export interface EventMemory {
  /**
   * True if this is a message that came on an earlier stream, and must not be acted on again.
   * Answers never are: each is taken once anyway, and a server that gives all events one id must
   * not lose them.
   */
  isReplay(json: unknown, eventId: string | undefined): boolean;
  /** Begins another stream. */
  nextStream(): void;
}

// The latest ids of a stream; an older event is not played again by anyone but a server that means
// it.
const mostIds = 256;

/** Makes an empty memory. */
export function createEventMemory(): EventMemory {
  const streamOf = new Map<string, number>();
  let stream = 0;
  return {
    isReplay(json, eventId) {
      if (eventId === undefined) return false;
      const first = streamOf.get(eventId);
      if (first !== undefined) return first < stream && isJsonObject(json) && "method" in json;
      streamOf.set(eventId, stream);
      if (streamOf.size > mostIds) for (const [oldest] of streamOf.entries()) if (streamOf.delete(oldest)) break;
      return false;
    },
    nextStream() {
      stream += 1;
    },
  };
}
