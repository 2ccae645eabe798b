import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import type { Writable } from "node:stream";
import type { MessagePriority } from "../message/active-request.ts";

/** Writes texts to a stream that may be read slowly, and gives it up when that goes too far. */
export interface BoundedWriter {
  /** `false`: it is given up, or has no room for what is spare. */
  write(text: string, weight: MessagePriority): boolean;
  /** True if more than half of the room is taken: time to take in less. */
  readonly isCrowded: boolean;
  /** Writes what was gathered, and stops watching; the stream is its owner's. */
  release(): void;
}

/** Options of {@linkcode createBoundedWriter}. */
export interface BoundedWriterInit {
  readonly maxBufferedBytes: number;
  readonly slowReaderMs: number;
  /** True if what is written in one turn goes out as one. Default `false`. */
  readonly gathers?: boolean;
  /** Called once, when the reader is too slow, or the stream has failed. */
  readonly onGone: (reason: string) => void;
}

/** Makes it. */
export function createBoundedWriter(stream: Writable, init: BoundedWriterInit): BoundedWriter {
  const { maxBufferedBytes, slowReaderMs, onGone, gathers = false } = init;
  let gathered = "";
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
  const push = (text: string): void => {
    if (!stream.write(text)) cancelTimer ??= clock.schedule(slowReaderMs, () => giveUp("it reads too slowly"));
  };
  const flush = (): void => {
    const text = gathered;
    gathered = "";
    if (text !== "" && !isOver && !stream.destroyed && !stream.writableEnded) push(text);
  };
  const waitingBytes = (): number => stream.writableLength + gathered.length;
  const release = (): void => {
    flush();
    isOver = true;
    onDrain();
    stream.off("drain", onDrain);
  };
  stream.on("drain", onDrain);
  stream.on("error", onError);
  return {
    get isCrowded() {
      return waitingBytes() > maxBufferedBytes / 2;
    },
    write(text, weight) {
      if (isOver || stream.destroyed || stream.writableEnded) return false;
      if (weight === "spare" && waitingBytes() > maxBufferedBytes / 4) return false;
      if (waitingBytes() > maxBufferedBytes) {
        giveUp("it reads too slowly");
        return false;
      }
      if (!gathers) push(text);
      // After all microtasks that are due, so that the answers to what came in together leave
      // together.
      else if (gathered === "") process.nextTick(flush);
      if (gathers) gathered += text;
      return true;
    },
    release,
  };
}
