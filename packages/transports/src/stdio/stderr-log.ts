import type { Clock, ServerLog } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import { createLineSplitter } from "./line-splitter.ts";
import { safeExcerpt, withoutBrokenEnd } from "../text/safe-excerpt.ts";

const maxLinesPerSecond = 200;
// Blank lines are not logged, and would be looked at by the million.
const maxLooksPerSecond = 2000;
const newline = 0x0a;
const maxLineBytes = 16 * 1024;
const maxTextLength = 4096;

/** What a {@linkcode StderrLog} is made from. */
export interface StderrLogInit {
  readonly onLog: (log: ServerLog) => void;
  readonly redact: Redactor;
  readonly clock: Clock;
}

/** Turns a server's stderr into log lines. */
export interface StderrLog {
  push(chunk: Buffer): void;
  /** The stream ended: passes on an unfinished line and the count of lines that were left out. */
  end(): void;
}

/**
 * Passes on each line that is not blank, without control characters and secrets, at most 4,096
 * UTF-16 units of it. At most 200 lines a second, of at most 2,000 with the blank ones: the rest is
 * counted, without a look at it, and the count comes as a line of its own before the next line that
 * passes.
 */
export function createStderrLog({ onLog, redact, clock }: StderrLogInit): StderrLog {
  let windowStart = Number.NEGATIVE_INFINITY;
  let passed = 0;
  let looked = 0;
  let skipped = 0;

  const log = (text: string): void => onLog({ source: "stderr", level: "info", text });
  const reportSkipped = (): void => {
    if (skipped > 0) log(`(${skipped} more lines on stderr were not logged)`);
    skipped = 0;
  };
  const isOverLimit = (): boolean => passed >= maxLinesPerSecond || looked >= maxLooksPerSecond;
  const startWindow = (): void => {
    const now = clock.now();
    if (now - windowStart < 1000) return;
    windowStart = now;
    passed = 0;
    looked = 0;
  };
  const pass = (read: () => string): void => {
    startWindow();
    if (isOverLimit()) {
      skipped += 1;
      return;
    }
    looked += 1;
    const text = safeExcerpt(read(), redact, maxTextLength);
    if (text === "") return;
    reportSkipped();
    passed += 1;
    log(text);
  };
  const splitter = createLineSplitter({
    maxLineBytes,
    onLine: (bytes, start, end) => pass(() => bytes.toString("utf8", start, end)),
    onOversized: ({ head, bytes }) => pass(() => `${withoutBrokenEnd(head.toString("utf8"))} … (${bytes} bytes)`),
  });
  return {
    push(chunk) {
      startWindow();
      const lastEnd = isOverLimit() ? chunk.lastIndexOf(newline) : -1;
      if (lastEnd === -1) return splitter.push(chunk);
      // The first line feed ends a line that the splitter may hold the start of; between it and the
      // last one there are whole lines alone.
      const firstEnd = chunk.indexOf(newline);
      splitter.push(chunk.subarray(0, firstEnd + 1));
      skipped += countLines(chunk, firstEnd + 1, lastEnd + 1);
      splitter.push(chunk.subarray(lastEnd + 1));
    },
    end() {
      splitter.end();
      reportSkipped();
    },
  };
}

function countLines(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index += 1) if (bytes[index] === newline) count += 1;
  return count;
}
