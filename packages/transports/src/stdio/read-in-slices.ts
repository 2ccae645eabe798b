import { withGetters } from "@toolport/core/implement";
import type { Clock } from "@toolport/core";
import type { Readable } from "node:stream";
import { handOnInTurns } from "../bytes/hand-on-in-turns.ts";
import type { OutputPipe } from "./drain-output.ts";

/** A pipe that is being read. What counts as read is what was handed on. */
export interface SlicedPipe extends OutputPipe {
  /** Hands on at once what arrived and still waits for its turn. */
  readonly flush: () => void;
}

/** Reads a stream to its end, whatever is written to it, without holding up anybody else in this process. */
export function readInSlices(stream: Readable, clock: Clock, onBytes: (bytes: Buffer) => void): SlicedPipe {
  const turns = handOnInTurns({ source: stream, clock, onBytes });
  stream.on("data", (chunk: Buffer) => turns.take(chunk));
  return withGetters<SlicedPipe, "bytesRead" | "readableEnded">(
    {
      flush: () => turns.flush(),
    },
    { bytesRead: () => turns.handedOn(), readableEnded: () => stream.readableEnded && !turns.isBehind() },
  );
}
