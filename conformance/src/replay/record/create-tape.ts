import type { RecordedEvent, RecordedServer } from "../recording/recorded-event.ts";

/** Where the lines of a recording go, bounded. */
export interface Tape {
  /** The number of a new process or exchange. */
  nextRun(): number;
  /** An event, or the line that introduces a server. */
  add(line: Placeless<RecordedEvent> | ({ readonly type: "server" } & RecordedServer)): void;
  /** Writes the last line. Nothing is written after it. */
  end(masked: number): void;
  /** Why nothing more is written, if that is so. */
  readonly failure: unknown;
}

/** An event that is in no file yet. */
export type Placeless<Event> = Event extends RecordedEvent ? Omit<Event, "line"> : never;

// Of the whole recording, in UTF-16 units; events beyond it are counted alone.
const mostLength = 64 * 1024 * 1024;

/**
 * Makes a tape and writes its header. No method throws: what cannot be recorded must not end the
 * conversation.
 */
export function createTape(write: (line: string) => void): Tape {
  let length = 0;
  let dropped = 0;
  let runs = 0;
  let isEnded = false;
  let failure: unknown;
  const put = (line: string): void => {
    if (failure !== undefined || isEnded) return;
    try {
      write(`${line}\n`);
      length += line.length + 1;
    } catch (error) {
      failure = error ?? new Error("the recording could not be written");
    }
  };
  put(JSON.stringify({ hostside: "recording", version: 1 }));
  return {
    nextRun: () => (runs += 1),
    add(value) {
      const line = JSON.stringify(value);
      if (length + line.length < mostLength) put(line);
      else dropped += 1;
    },
    end(masked) {
      put(JSON.stringify({ type: "end", masked, ...(dropped > 0 && { dropped }) }));
      isEnded = true;
    },
    get failure() {
      return failure;
    },
  };
}
