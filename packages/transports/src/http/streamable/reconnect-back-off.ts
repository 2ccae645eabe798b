import { MessageParser, type MessageParserInit } from "../events/message-parser.ts";
import type { HttpReply } from "../exchange/http-exchange.ts";

const firstDelayMs = 1000;
const shortestDelayMs = 250;
const longestDelayMs = 60_000;

/**
 * Milliseconds to wait: what the server asked for, but never less than a backoff that grows with
 * every stream that brought nothing, from 1 s to 1 min, and is spread by up to a fifth so that
 * hosts do not come back all at once. At least 250 ms and at most a minute, whatever the server
 * asks. `barren` counts the streams in a row that brought nothing, this one included; `serverMs` is
 * the delay of `retry:` or `Retry-After`.
 */
export function reconnectDelayMs(barren: number, serverMs: number | undefined): number {
  const backoffMs =
    barren === 0 ? shortestDelayMs : firstDelayMs * 2 ** (Math.min(barren, 10) - 1) * (1 + Math.random() / 5);
  return Math.min(Math.max(serverMs ?? firstDelayMs, backoffMs), longestDelayMs);
}

/** True if a status says that the same request may well succeed later. */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** The position in a stream of events that is opened again when it ends. */
export class StreamPosition {
  /** Absent until an event had an id. */
  lastEventId: string | undefined;
  /** How long the server asks to wait before coming back. */
  retryMs: number | undefined;

  /** Reads one connection to its end. Throws what it broke off with. */
  async read(reply: HttpReply, init: MessageParserInit): Promise<void> {
    const parser = new MessageParser(init);
    try {
      await reply.read((chunk) => parser.push(chunk));
    } finally {
      this.lastEventId = parser.lastEventId ?? this.lastEventId;
      this.retryMs = parser.retryMs ?? this.retryMs;
    }
  }
}
