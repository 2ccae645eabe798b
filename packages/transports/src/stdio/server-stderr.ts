import { clock, type Redactor } from "@hostside/core/implement";
import type { ServerLog } from "@hostside/core";
import type { Readable } from "node:stream";
import { safeExcerpt, withoutBrokenEnd } from "../text/safe-excerpt.ts";
import { LineSplitter } from "./line-splitter.ts";
import { readInSlices, type OutputPipe } from "./output-pipe.ts";

// What a program says when it cannot start stands at the beginning, and in front of a long stack as
// often as behind it.
const firstLines = 10;
const lastLines = 20;
const maxQuotedLength = 500;
const maxLineBytes = 4096;
const maxLoggedPerSecond = 200;

/** How a server's stderr is read. */
export interface ServerStderrInit {
  /** Bytes of the last lines that are kept. */
  readonly tailBytes: number;
  readonly redact: Redactor;
  readonly onLog: (log: ServerLog) => void;
}

/**
 * A server's stderr, drained whatever it writes: a server must never block on it. Each line that is
 * not blank is logged without control characters and secrets; at most 200 lines a second, and then
 * how many were left out. 4 KiB of a line are kept, without a word that was cut, which may be half
 * a secret.
 */
export class ServerStderr {
  readonly pipe: OutputPipe;
  readonly #init: ServerStderrInit;
  readonly #splitter: LineSplitter;
  readonly #first: string[] = [];
  readonly #last: string[] = [];
  #lastLength = 0;
  #lineCount = 0;
  #quotesFirst = true;
  #windowStart = Number.NEGATIVE_INFINITY;
  #logged = 0;
  #skipped = 0;

  constructor(stream: Readable, init: ServerStderrInit) {
    this.#init = init;
    this.#splitter = new LineSplitter({
      maxLineBytes,
      onLine: (bytes, start, end) => this.#take(bytes.toString("utf8", start, end)),
      onOversized: ({ head, bytes }) => this.#take(`${withoutBrokenEnd(head.toString("utf8"))} … (${bytes} bytes)`),
    });
    this.pipe = readInSlices(stream, (bytes) => this.#splitter.push(bytes));
  }

  /** The server has started: what it wrote first explains nothing any more. */
  started(): void {
    this.#quotesFirst = false;
  }

  /**
   * The last 20 lines that are not blank, and until {@linkcode ServerStderr.started} the first 10,
   * too: without secrets and control characters, each at most 500 UTF-16 units.
   */
  quote(): string {
    const before = this.#quotesFirst ? this.#first.slice(0, Math.max(0, this.#lineCount - this.#last.length)) : [];
    const gap = before.length > 0 && before.length + this.#last.length < this.#lineCount ? ["…"] : [];
    const quoted = (line: string): string => safeExcerpt(line, this.#init.redact, maxQuotedLength);
    return [...before.map(quoted), ...gap, ...[...this.#last, this.#splitter.unfinished].map(quoted)]
      .filter((line) => line !== "")
      .join("\n");
  }

  /** Logs an unfinished last line, and how many were left out. */
  flushLog(): void {
    this.pipe.flush?.();
    this.#splitter.end();
    this.#reportSkipped();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    this.#keep(line);
    const now = clock.now();
    if (now - this.#windowStart >= 1000) {
      this.#windowStart = now;
      this.#logged = 0;
    }
    if (this.#logged >= maxLoggedPerSecond) {
      this.#skipped += 1;
      return;
    }
    const text = safeExcerpt(line, this.#init.redact, maxLineBytes);
    if (text === "") return;
    this.#reportSkipped();
    this.#logged += 1;
    this.#log(text);
  }

  #keep(line: string): void {
    this.#lineCount += 1;
    if (this.#first.length < firstLines) this.#first.push(line);
    this.#last.push(line);
    this.#lastLength += line.length + 1;
    while (this.#last.length > lastLines || (this.#lastLength > this.#init.tailBytes && this.#last.length > 1))
      this.#lastLength -= (this.#last.shift()?.length ?? 0) + 1;
  }

  #reportSkipped(): void {
    if (this.#skipped > 0) this.#log(`(${this.#skipped} more lines on stderr were not logged)`);
    this.#skipped = 0;
  }

  #log(text: string): void {
    this.#init.onLog({ source: "stderr", level: "info", text });
  }
}
