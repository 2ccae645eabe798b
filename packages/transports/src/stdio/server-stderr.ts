import type { Clock, ServerLog } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import type { Readable } from "node:stream";
import { safeExcerpt } from "../text/safe-excerpt.ts";
import { readInSlices, type SlicedPipe } from "./read-in-slices.ts";
import { createStderrExcerpt } from "./stderr-excerpt.ts";
import { createStderrLog } from "./stderr-log.ts";

// What a program says when it cannot start stands at the beginning, and in front of a long stack as
// often as behind it.
const firstLines = 10;
const lastLines = 20;
const maxQuotedLineLength = 500;

/** What {@linkcode readServerStderr} needs. */
export interface ServerStderrInit {
  readonly tailBytes: number;
  readonly redact: Redactor;
  readonly onLog: (log: ServerLog) => void;
  readonly clock: Clock;
}

/** A server's stderr, drained whatever it writes. */
export interface ServerStderr {
  readonly pipe: SlicedPipe;
  /**
   * The last 20 lines that are not blank, and until {@linkcode ServerStderr.started} the first 10,
   * too: without secrets and control characters, each at most 500 UTF-16 units.
   */
  quote(): string;
  /** The server has started: what it wrote first explains nothing any more. */
  started(): void;
  /** Logs an unfinished last line. */
  flushLog(): void;
}

/** Starts to read: a server must never block on a full stderr. */
export function readServerStderr(
  stream: Readable,
  { tailBytes, redact, onLog, clock }: ServerStderrInit,
): ServerStderr {
  const excerpt = createStderrExcerpt(tailBytes);
  const log = createStderrLog({ onLog, redact, clock });
  let first = firstLines;
  const pipe = readInSlices(stream, {
    clock,
    onBytes(bytes) {
      excerpt.push(bytes);
      log.push(bytes);
    },
  });
  return {
    pipe,
    quote: () =>
      excerpt
        .lines({ first, last: lastLines })
        .map((line) => safeExcerpt(line, redact, maxQuotedLineLength))
        .join("\n"),
    started() {
      first = 0;
    },
    flushLog() {
      pipe.flush();
      log.end();
    },
  };
}
