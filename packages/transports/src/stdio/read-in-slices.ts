import type { Clock } from "@toolport/core";
import type { Readable } from "node:stream";
import type { OutputPipe } from "./drain-output.ts";

// A pipe that is read to its last byte gives less than this; one that is full gives exactly this, and has more.
const fullChunkBytes = 64 * 1024;
const sliceBytes = 8 * 1024;
// Of one turn of the event loop, for one pipe.
const budgetMs = 1;

/** A pipe that is being read. What counts as read is what was handed on. */
export interface SlicedPipe extends OutputPipe {
  /** Hands on at once what arrived and still waits for its turn. */
  readonly flush: () => void;
}

/**
 * Reads a stream to its end, whatever is written to it, without holding up anybody else in this process: of a flood, each turn of the
 * event loop reads 64 KiB at most and hands them on for about a millisecond, in order; the rest waits for the next turn. What comes in
 * pieces of ordinary size is handed on as it comes.
 */
export function readInSlices(stream: Readable, clock: Clock, onBytes: (bytes: Buffer) => void): SlicedPipe {
  const waiting: Buffer[] = [];
  let handedOn = 0;
  let isPaused = false;

  const handOn = (bytes: Buffer): void => {
    handedOn += bytes.length;
    onBytes(bytes);
  };
  const work = (mayTake: () => boolean): void => {
    for (let next = waiting[0]; next !== undefined && mayTake(); next = waiting[0]) {
      const rest = next.subarray(sliceBytes);
      if (rest.length > 0) waiting[0] = rest;
      else waiting.shift();
      handOn(next.subarray(0, sliceBytes));
    }
  };
  const takeTurn = (): void => {
    const end = clock.now() + budgetMs;
    work(() => clock.now() < end);
  };
  const goOn = (): void => {
    takeTurn();
    if (waiting.length > 0) return void setImmediate(goOn);
    isPaused = false;
    stream.resume();
  };
  stream.on("data", (chunk: Buffer) => {
    if (waiting.length === 0 && chunk.length <= sliceBytes) return handOn(chunk);
    waiting.push(chunk);
    if (!isPaused) takeTurn();
    if (isPaused || (waiting.length === 0 && chunk.length < fullChunkBytes)) return;
    isPaused = true;
    stream.pause();
    setImmediate(goOn);
  });
  return {
    get bytesRead() {
      return handedOn;
    },
    get readableEnded() {
      return stream.readableEnded && waiting.length === 0;
    },
    flush: () => work(() => true),
  };
}
