import type { Clock, Redactor, ServerLog } from "@toolport/core";
import type { Readable } from "node:stream";
import { safeExcerpt } from "../safe-excerpt.ts";
import { createStderrLog } from "./stderr-log.ts";
import { createStderrTail } from "./stderr-tail.ts";

const quotedLines = 20;
const maxQuotedLineLength = 500;

/** What {@linkcode readServerStderr} needs. */
export interface ServerStderrInit {
  readonly stream: Readable;
  readonly tailBytes: number;
  readonly redact: Redactor;
  readonly onLog: (log: ServerLog) => void;
  readonly clock: Clock;
}

/** A server's stderr, drained whatever it writes. */
export interface ServerStderr {
  /** The last 20 lines that are not blank, without secrets and control characters, each at most 500 UTF-16 units. */
  quote(): string;
  /** Logs an unfinished last line. */
  flushLog(): void;
}

/** Starts to read: a server must never block on a full stderr. */
export function readServerStderr({ stream, tailBytes, redact, onLog, clock }: ServerStderrInit): ServerStderr {
  const tail = createStderrTail(tailBytes);
  const log = createStderrLog({ onLog, redact, clock });
  stream.on("data", (chunk: Buffer) => {
    tail.push(chunk);
    log.push(chunk);
  });
  return {
    quote: () =>
      tail
        .lastLines(quotedLines)
        .map((line) => safeExcerpt(line, redact, maxQuotedLineLength))
        .join("\n"),
    flushLog: () => log.end(),
  };
}
