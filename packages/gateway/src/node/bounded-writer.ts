import type { Writable } from "node:stream";
import type { Cancel, Clock } from "@toolport/core";
import type { Weight } from "../message/outlet.ts";

/** Writes texts to a stream that may be read slowly, and gives it up when that goes too far. */
export interface BoundedWriter {
  /** `false`: it is given up, or has no room for what is spare. */
  write(text: string, weight: Weight): boolean;
  /** Whether more than half of the room is taken: time to take in less. */
  readonly isCrowded: boolean;
  /** Stops watching; the stream is its owner's. */
  release(): void;
}

/** What it goes by. */
export interface BoundedWriterInit {
  readonly maxBufferedBytes: number;
  readonly slowReaderMs: number;
  readonly clock: Clock;
  /** Called once, when the reader is too slow, or the stream has failed. */
  readonly onGone: (reason: string) => void;
}

/** Makes it. */
export function createBoundedWriter(stream: Writable, init: BoundedWriterInit): BoundedWriter {
  const { maxBufferedBytes, slowReaderMs, clock, onGone } = init;
  let isOver = false;
  let cancelTimer: Cancel | undefined;
  const giveUp = (reason: string): void => {
    if (isOver) return;
    release();
    onGone(reason);
  };
  const onDrain = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };
  const onError = (): void => giveUp("the way to it is closed");
  const release = (): void => {
    isOver = true;
    onDrain();
    stream.off("drain", onDrain);
  };
  stream.on("drain", onDrain);
  stream.on("error", onError);
  return {
    get isCrowded() {
      return stream.writableLength > maxBufferedBytes / 2;
    },
    write(text, weight) {
      if (isOver || stream.destroyed || stream.writableEnded) return false;
      if (weight === "spare" && stream.writableLength > maxBufferedBytes / 4) return false;
      if (stream.writableLength > maxBufferedBytes) {
        giveUp("it reads too slowly");
        return false;
      }
      if (!stream.write(text)) cancelTimer ??= clock.schedule(slowReaderMs, () => giveUp("it reads too slowly"));
      return true;
    },
    release,
  };
}
