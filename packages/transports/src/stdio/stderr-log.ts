import type { Clock, Redactor, ServerLog } from "@toolport/core";
import { createLineSplitter } from "./line-splitter.ts";
import { safeExcerpt, withoutBrokenEnd } from "../safe-excerpt.ts";

const maxLinesPerSecond = 200;
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
 * Passes on each line that is not blank, without control characters and secrets, at most 4,096 UTF-16 units of it. At most 200 lines a
 * second: the rest is counted, and the count comes as a line of its own before the next line that passes.
 */
export function createStderrLog({ onLog, redact, clock }: StderrLogInit): StderrLog {
  let windowStart = Number.NEGATIVE_INFINITY;
  let passed = 0;
  let skipped = 0;

  const log = (text: string): void => onLog({ source: "stderr", level: "info", text });
  const reportSkipped = (): void => {
    if (skipped > 0) log(`(${skipped} more lines on stderr were not logged)`);
    skipped = 0;
  };
  const pass = (read: () => string): void => {
    const now = clock.now();
    if (now - windowStart >= 1000) {
      windowStart = now;
      passed = 0;
      reportSkipped();
    }
    if (passed >= maxLinesPerSecond) {
      skipped += 1;
      return;
    }
    const text = safeExcerpt(read(), redact, maxTextLength);
    if (text === "") return;
    passed += 1;
    log(text);
  };
  const splitter = createLineSplitter({
    maxLineBytes,
    onLine: (bytes, start, end) => pass(() => bytes.toString("utf8", start, end)),
    onOversized: ({ head, bytes }) => pass(() => `${withoutBrokenEnd(head.toString("utf8"))} … (${bytes} bytes)`),
  });
  return {
    push: (chunk) => splitter.push(chunk),
    end() {
      splitter.end();
      reportSkipped();
    },
  };
}
