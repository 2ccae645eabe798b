import type { Clock } from "@hostside/core";
import type { Readable } from "node:stream";
import { createYieldingReader, type YieldingReader } from "../bytes/yielding-reader.ts";
import type { OutputPipe } from "./drain-output.ts";

/** A pipe that is being read. What counts as read is what was handed on. */
export interface SlicedPipe extends OutputPipe {
  /** Hands on at once what arrived and still waits for its turn. */
  flush(): void;
}

const newline = 0x0a;

/** How a pipe is read. */
export interface SlicedReading {
  readonly clock: Clock;
  readonly onBytes: (bytes: Buffer) => void;
  /** Whether the rest of the line that came last is thrown away. Default: never. */
  readonly mayWait?: () => boolean;
}

/**
 * Reads the lines of a stream to its end, whatever is written to it, without holding up anybody
 * else in this process.
 */
export function readInSlices(stream: Readable, reading: SlicedReading): SlicedPipe {
  return new PipeInTurns(stream, createYieldingReader({ ...reading, source: stream, countKept: bytesBeforeNewline }));
}

function bytesBeforeNewline(bytes: Buffer): number {
  const end = bytes.indexOf(newline);
  return end === -1 ? bytes.length : end;
}

// A class, because each process has two of them.
class PipeInTurns implements SlicedPipe {
  readonly #stream: Readable;
  readonly #turns: YieldingReader<Buffer>;

  constructor(stream: Readable, turns: YieldingReader<Buffer>) {
    this.#stream = stream;
    this.#turns = turns;
    stream.on("data", (chunk: Buffer) => turns.take(chunk));
  }

  get bytesRead(): number {
    return this.#turns.handedOn();
  }

  get readableEnded(): boolean {
    return this.#stream.readableEnded && !this.#turns.isBehind();
  }

  get isHeldBack(): boolean {
    return this.#turns.isPaused();
  }

  flush(): void {
    this.#turns.flush();
  }
}
