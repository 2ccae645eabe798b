import { HostsideError, type Cancel, type JsonObject, type ServerLog, type HostsideErrorCode } from "@hostside/core";
import type { ServerContext } from "../context/server-context.ts";
import type { SendOptions, Transport } from "../message/transport.ts";
import { type ProcessGroup, type ServerProcess, endProcess, terminateOnExit, hasExited } from "./end-process.ts";
import { LineWriter } from "./line-writer.ts";
import { MessageReader } from "./message-reader.ts";
import { readInSlices, type OutputPipe, drainOutput } from "./output-pipe.ts";
import { clock, safeCause, type Redactor } from "@hostside/core/implement";
import { quoteEvidence, safeExcerpt, withoutBrokenEnd } from "../text/safe-excerpt.ts";
import type { Readable } from "node:stream";
import { LineSplitter } from "./line-splitter.ts";

// Many calls with large arguments at once are honest, and a server that never reads must not cost
// more than this.
const waitingFactor = 4;

/** The parts of {@linkcode StdioTransport}. */
export interface StdioTransportInit {
  readonly context: ServerContext;
  /** Called with the first byte on stdout. */
  readonly onStarted: () => void;
  readonly process: ServerProcess;
  readonly group: ProcessGroup;
  /** The process ended by SIGKILL alone. */
  readonly onKilled?: (() => void) | undefined;
}

/**
 * Newline-delimited JSON-RPC with a process that runs. From the start its stderr is drained and its
 * end is noticed; its stdout waits for `start()`, which throws a TypeError when called twice and
 * the reason when the process is gone already. `send()` rejects with `overloaded` when the server
 * does not read, else with what ended the connection, `not-sent` only if no byte of the message
 * left.
 */
export class StdioTransport implements Transport {
  readonly isOrdered = true;
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onclose: Transport["onclose"];
  onrequestfailed: Transport["onrequestfailed"];
  closeReason: HostsideError | undefined;
  readonly #init: StdioTransportInit;
  readonly #writer: LineWriter;
  readonly #reader: MessageReader;
  readonly #stderr: ServerStderr;
  readonly #cancelTermination: Cancel;
  readonly #cancelWatch: Cancel;
  #state: "opened" | "started" | "closed" = "opened";
  #gone = Promise.resolve();
  #output: OutputPipe | undefined;

  constructor(init: StdioTransportInit) {
    const { context, process, group } = init;
    const { serverId, settings, redact } = context;
    const { maxMessageBytes, maxMessageValues, stderrTailBytes: tailBytes } = settings.limits;
    this.#init = init;
    this.#writer = new LineWriter({
      stdin: process.stdin,
      serverId,
      maxWaitingLength: waitingFactor * maxMessageBytes,
    });
    this.#reader = new MessageReader({
      serverId,
      maxMessageBytes,
      maxMessageValues,
      redact,
      onEndless: (reason) => this.#fail(reason),
      onMessage: (message, bytes) => {
        if (this.#isOpen()) this.onmessage?.(message, undefined, bytes);
      },
      onRequestFailed: (id, error) => {
        if (this.#isOpen()) this.onrequestfailed?.(id, error);
      },
      onDiagnostic: (diagnostic) => {
        if (this.#isOpen()) context.onDiagnostic(diagnostic);
      },
    });
    const onLog = (log: ServerLog): void => {
      if (this.#isOpen()) context.onLog(log);
    };
    this.#stderr = new ServerStderr(process.stderr, { tailBytes, redact, onLog });
    this.#cancelTermination = terminateOnExit(group, () => !this.#isOpen());
    const pipes = (): readonly OutputPipe[] => [this.#output ?? process.stdout, this.#stderr.pipe];
    this.#cancelWatch = watchForDeath(process, pipes, (death) => this.#die(death));
  }

  /** The process, which on POSIX leads a group of this number. */
  get pid(): number {
    return this.#init.process.pid;
  }

  /**
   * The last 20 lines of the server's stderr so far, and before the handshake is done the first 10,
   * too, without secrets and control characters; `""` when there are none.
   */
  get stderr(): string {
    return this.#stderr.quote();
  }

  get strayLine(): string | undefined {
    return this.#reader.strayLine;
  }

  async start(): Promise<void> {
    const { process, context, onStarted } = this.#init;
    if (this.#state === "started") throw new TypeError("this transport was started already");
    if (this.#state === "closed") throw this.closeReason ?? closedError(context.serverId);
    this.#state = "started";
    process.stdout.once("data", onStarted);
    this.#output = readInSlices(process.stdout, (bytes) => {
      if (this.#isOpen()) this.#reader.push(bytes);
    });
  }

  /** Only a handshake that is done has found a revision. */
  setProtocolVersion(): void {
    this.#reader.started();
    this.#stderr.started();
  }

  send(message: JsonObject, options?: SendOptions): Promise<void> {
    const left = new Promise<void>((resolve, reject) => this.#writer.post(toLine(message, options), reject, resolve));
    // The end of a connection is reported by `onclose` as well: a sender that does not look at its
    // promise must not crash the host.
    left.catch(() => {});
    return left;
  }

  post(message: JsonObject, options: SendOptions | undefined, onFailed: (error: unknown) => void): void {
    let line: string;
    try {
      line = toLine(message, options);
    } catch (error) {
      return onFailed(error);
    }
    this.#writer.post(line, onFailed);
  }

  close(): Promise<void> {
    const { serverId, settings } = this.#init.context;
    if (this.#isOpen()) this.#shutDown(closedError(serverId), settings.timeouts.closeMs);
    return this.#gone;
  }

  #isOpen(): boolean {
    return this.#state !== "closed";
  }

  #die(death: Death): void {
    for (const pipe of [this.#output, this.#stderr.pipe]) pipe?.flush?.();
    this.#reader.end();
    const { code, what, cause, ...exit } = death;
    const { serverId, redact } = this.#init.context;
    const { stderr: stderrTail, strayLine } = this;
    const silence = stderrTail ? "" : "; it wrote nothing to stderr";
    const evidence = quoteEvidence({ stderrTail, strayLine });
    this.#fail(
      new HostsideError(`server ${JSON.stringify(serverId)} ${what}${silence}${evidence}`, {
        code,
        serverId,
        details: {
          ...exit,
          ...(stderrTail && { stderrTail }),
          ...(strayLine !== undefined && { excerpt: strayLine }),
        },
        cause: cause && safeCause(cause, redact),
      }),
    );
  }

  #fail(reason: HostsideError): void {
    if (!this.#isOpen()) return;
    this.#stderr.flushLog();
    this.closeReason = reason;
    this.#writer.stop(reason);
    this.#shutDown(reason, 0);
  }

  #shutDown(reason: HostsideError, inputGraceMs: number): void {
    const { context, process, group, onKilled } = this.#init;
    const signalGraceMs = context.settings.timeouts.closeMs;
    this.#state = "closed";
    this.#cancelWatch();
    const endInput = (): void => this.#writer.end(reason);
    this.#gone = endProcess({ process, group, endInput, inputGraceMs, signalGraceMs })
      .then((wasKilled) => (wasKilled ? onKilled?.() : undefined))
      .finally(() => {
        this.#writer.stop(reason);
        this.#cancelTermination();
      });
    this.onclose?.();
  }
}

function toLine(message: JsonObject, options: SendOptions | undefined): string {
  const line = JSON.stringify(message);
  options?.onSize?.(Buffer.byteLength(line));
  return line;
}

function closedError(serverId: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)}: the connection was closed`, {
    code: "closed",
    serverId,
  });
}

/** Why nothing more can be expected of a process. */
interface Death {
  readonly code: HostsideErrorCode;
  /** Completes "server … ". */
  readonly what: string;
  readonly exitCode?: number | null;
  readonly exitSignal?: NodeJS.Signals | null;
  readonly cause?: Error;
}

// A process that dies loses its pipes a moment before its exit is reported; the exit says more.
const exitGraceMs = 200;

/**
 * Calls `onDeath` once, after all that the process wrote before its end has been read. Goes by the
 * `exit` event, never by `close`, which a grandchild that holds a pipe puts off for as long as it
 * likes. A closed pipe alone is death, too, unless the exit is reported within 200 ms.
 */
function watchForDeath(
  process: ServerProcess,
  /** Its stdout and stderr, as they are read. */
  pipes: () => readonly OutputPipe[],
  onDeath: (death: Death) => void,
): Cancel {
  let watching = true;
  let cancelGrace: Cancel | undefined;
  const stopListening = (): void => {
    cancelGrace?.();
    process.off("exit", onExit);
    process.off("error", onError);
    process.stdout.off("close", onOutputClosed);
    process.stdin.off("error", onInputError);
  };
  const die = async (death: Death): Promise<void> => {
    stopListening();
    if (death.code === "server_exited") await drainOutput(pipes());
    for (const pipe of pipes()) pipe.flush?.();
    if (watching) onDeath(death);
  };
  const suspect = (pipe: string, cause?: Error): void => {
    const what = `closed its ${pipe} but kept running, and was stopped`;
    const death: Death = { code: "connection_closed", what, ...(cause && { cause }) };
    cancelGrace ??= clock.schedule(exitGraceMs, () => void die(death));
  };
  const onExit = (exitCode: number | null, exitSignal: NodeJS.Signals | null): void => {
    const what = exitSignal === null ? `exited with code ${exitCode}` : `was ended by ${exitSignal}`;
    void die({ code: "server_exited", what, exitCode, exitSignal });
  };
  // Windows only: there a missing program shows when its command interpreter ends.
  const onError = (cause: Error): void =>
    void die({ code: "spawn_failed", what: "could not be started: there is no such program", cause });
  const onOutputClosed = (): void => suspect("stdout");
  const onInputError = (cause: Error): void => suspect("stdin", cause);
  process.on("exit", onExit);
  process.on("error", onError);
  process.stdout.on("close", onOutputClosed);
  process.stdin.on("error", onInputError);
  // It may be over already.
  if (hasExited(process)) onExit(process.exitCode, process.signalCode);
  return () => {
    watching = false;
    stopListening();
  };
}

// What a program says when it cannot start stands at the beginning, and in front of a long stack as
// often as behind it.
const firstLines = 10;
const lastLines = 20;
const maxQuotedLength = 500;
const maxLineBytes = 4096;
const maxLoggedPerSecond = 200;

/** How a server's stderr is read. */
interface ServerStderrInit {
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
