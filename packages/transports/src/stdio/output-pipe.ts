import { clock } from "@hostside/core/implement";
import type { Readable } from "node:stream";
import { YieldingReader } from "../bytes/yielding-reader.ts";

/** As much of a readable stream as matters here. Bytes count as read when they are handed on. */
export interface OutputPipe {
  /** Node's pipes are sockets, which know this. */
  readonly bytesRead?: number;
  readonly readableEnded: boolean;
  /** Hands on at once what arrived and still waits for its turn. */
  flush?(): void;
}

const newline = 0x0a;

/** Reads the lines of a stream to its end, in turns of the event loop. */
export function readInSlices(stream: Readable, onBytes: (bytes: Buffer) => void): OutputPipe {
  const turns = new YieldingReader<Buffer>({ onBytes, source: stream, countKept: bytesBeforeNewline });
  stream.on("data", (chunk: Buffer) => turns.take(chunk));
  return {
    get bytesRead() {
      return turns.handedOn;
    },
    get readableEnded() {
      return stream.readableEnded && !turns.isBehind;
    },
    flush: () => turns.flush(),
  };
}

function bytesBeforeNewline(bytes: Buffer): number {
  const end = bytes.indexOf(newline);
  return end === -1 ? bytes.length : end;
}

// A grandchild that holds a pipe may go on writing.
const maxMs = 500;
// The first turn may be the rest of the one in which the process's end was reported; the second
// polls every pipe once.
const quietTurns = 2;

/**
 * Waits until what a process wrote before its end has been read. It lies in the pipes when that end
 * is reported, so that whole turns of the event loop in which nothing arrives say that there is no
 * more: no time has to be waited out. Never longer than 500 ms.
 */
export async function drainOutput(pipes: readonly OutputPipe[]): Promise<void> {
  const readBytes = (): number => pipes.reduce((sum, pipe) => sum + (pipe.bytesRead ?? 0), 0);
  const deadline = clock.now() + maxMs;
  let seen = readBytes();
  let quiet = 0;
  while (quiet < quietTurns && !pipes.every((pipe) => pipe.readableEnded) && clock.now() < deadline) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const now = readBytes();
    quiet = now === seen ? quiet + 1 : 0;
    seen = now;
  }
}
