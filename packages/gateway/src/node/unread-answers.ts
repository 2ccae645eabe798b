import { clock } from "@hostside/core/implement";
import type { ServerResponse } from "node:http";

/** The unread answers of the clients of one server. */
export interface UnreadAnswers {
  /** Watches an answer until it is closed. */
  watch(response: ServerResponse): WatchedAnswer;
}

/** One that is watched. */
export interface WatchedAnswer {
  /** So many UTF-16 units are about to be written. */
  writing(length: number): void;
}

/** Options of {@linkcode createUnreadAnswers}. */
export interface UnreadAnswersInit {
  readonly maxUnreadBytes: number;
}

interface Watched extends WatchedAnswer {
  readonly response: ServerResponse;
  /** Since when something waits in it. */
  since: number;
}

/**
 * Keeps what all of them leave unread within `maxUnreadBytes`: beyond it those are closed that were
 * left longest. They are weighed whenever an eighth of that has been written, so that an answer
 * pays an addition.
 */
export function createUnreadAnswers({ maxUnreadBytes }: UnreadAnswersInit): UnreadAnswers {
  const watched = new Set<Watched>();
  let written = 0;
  const weigh = (next: number): void => {
    written = 0;
    const waiting = Array.from(watched).filter(({ response }) => response.writableLength > 0);
    let bytes = waiting.reduce((sum, { response }) => sum + response.writableLength, next);
    if (bytes <= maxUnreadBytes) return;
    for (const { response } of waiting.toSorted((a, b) => a.since - b.since)) {
      bytes -= response.writableLength;
      response.destroy();
      if (bytes <= maxUnreadBytes) return;
    }
  };
  return {
    watch(response) {
      const one: Watched = {
        response,
        since: 0,
        writing(length) {
          if (response.writableLength === 0) one.since = clock.now();
          written += length;
          if (written > maxUnreadBytes / 8) weigh(length);
        },
      };
      watched.add(one);
      response.once("close", () => watched.delete(one));
      return one;
    },
  };
}
