import { HostsideError, type JsonObject } from "@hostside/core";
import type { TransportContext } from "../context/transport-context.ts";
import type { SendOptions, Transport } from "../message/transport.ts";
import { deathError, watchForDeath } from "./death.ts";
import { endProcess, terminateOnExit } from "./end-process.ts";
import { LineWriter } from "./line-writer.ts";
import { MessageReader } from "./message-reader.ts";
import { readInSlices, type OutputPipe } from "./output-pipe.ts";
import type { ProcessGroup, ServerProcess } from "./process-group.ts";
import { ServerStderr } from "./server-stderr.ts";

// Many calls with large arguments at once are honest, and a server that never reads must not cost
// more than this.
const waitingFactor = 4;

/** A {@linkcode Transport} over a child process. */
export interface StdioTransport extends Transport {
  /** The process, which on POSIX leads a group of this number. */
  readonly pid: number;
  /**
   * The last 20 lines of the server's stderr so far, and before the handshake is done the first 10,
   * too, without secrets and control characters; `""` when there are none.
   */
  readonly stderr: string;
}

/** What a {@linkcode StdioTransport} is made from. */
export interface StdioTransportInit {
  readonly context: TransportContext;
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
 * left. Aborting `requestSignal` has no effect: on stdio, a cancel is a message.
 */
export function createStdioTransport({ context, process, group, onKilled }: StdioTransportInit): StdioTransport {
  const { serverId, settings, redact, clock, onStarted } = context;
  const { maxMessageBytes, maxMessageValues, stderrTailBytes } = settings.limits;
  const { closeMs } = settings.timeouts;
  let state: "opened" | "started" | "closed" = "opened";
  let closeReason: HostsideError | undefined;
  let gone = Promise.resolve();
  let output: OutputPipe | undefined;

  const isOpen = (): boolean => state !== "closed";
  const transport: StdioTransport = {
    pid: process.pid,
    isOrdered: true,
    async start() {
      if (state === "started") throw new TypeError("this transport was started already");
      if (state === "closed") throw closeReason ?? closedError(serverId);
      state = "started";
      process.stdout.once("data", onStarted);
      output = readInSlices(process.stdout, {
        clock,
        onBytes(bytes) {
          if (isOpen()) reader.push(bytes);
        },
        // A process that is being ended must not have to wait until it can write its last words.
        mayWait: () => isOpen() && reader.isSkipping,
      });
    },
    // Only a handshake that is done has found a revision.
    setProtocolVersion() {
      reader.started();
      stderr.started();
    },
    send(message, options) {
      const left = new Promise<void>((resolve, reject) => writer.post(toLine(message, options), reject, resolve));
      // The end of a connection is reported by `onclose` as well: a sender that does not look at
      // its promise must not crash the host.
      left.catch(() => {});
      return left;
    },
    post(message, options, onFailed) {
      let line: string;
      try {
        line = toLine(message, options);
      } catch (error) {
        return onFailed(error);
      }
      writer.post(line, onFailed);
    },
    close() {
      if (state !== "closed") shutDown(closedError(serverId), closeMs);
      return gone;
    },
    get stderr() {
      return stderr.quote();
    },
    get strayLine() {
      return reader.strayLine;
    },
    get closeReason() {
      return closeReason;
    },
  };
  const fail = (reason: HostsideError): void => {
    if (state === "closed") return;
    stderr.flushLog();
    closeReason = reason;
    writer.stop(reason);
    shutDown(reason, 0);
  };
  const shutDown = (reason: HostsideError, inputGraceMs: number): void => {
    state = "closed";
    cancelWatch();
    const endInput = (): void => writer.end(reason);
    gone = endProcess({ process, group, endInput, inputGraceMs, signalGraceMs: closeMs, clock })
      .then((wasKilled) => (wasKilled ? onKilled?.() : undefined))
      .finally(() => {
        writer.stop(reason);
        cancelTermination();
      });
    attempt(transport, () => transport.onclose?.());
  };
  const whileOpen = (notify: () => void): void => {
    if (isOpen()) attempt(transport, notify);
  };
  const writer = new LineWriter({ stdin: process.stdin, serverId, maxWaitingLength: waitingFactor * maxMessageBytes });
  const reader = new MessageReader({
    serverId,
    maxMessageBytes,
    maxMessageValues,
    redact,
    onEndless: fail,
    // Without a function for each message.
    onMessage(message, bytes) {
      if (!isOpen()) return;
      try {
        transport.onmessage?.(message, undefined, bytes);
      } catch (error) {
        report(transport, error);
      }
    },
    onRequestFailed: (id, error) => whileOpen(() => transport.onrequestfailed?.(id, error)),
    onDiagnostic: (diagnostic) => whileOpen(() => context.onDiagnostic(diagnostic)),
  });
  const stderr = new ServerStderr(process.stderr, {
    tailBytes: stderrTailBytes,
    redact,
    onLog: (log) => whileOpen(() => context.onLog(log)),
    clock,
  });
  const cancelTermination = terminateOnExit(group, () => !isOpen());
  const cancelWatch = watchForDeath({
    process,
    pipes: () => [output ?? process.stdout, stderr.pipe],
    clock,
    onDeath(death) {
      for (const pipe of [output, stderr.pipe]) pipe?.flush?.();
      reader.end();
      fail(deathError(death, { stderrTail: stderr.quote(), strayLine: reader.strayLine }, { serverId, redact }));
    },
  });
  return transport;
}

function toLine(message: JsonObject, options: SendOptions | undefined): string {
  const line = JSON.stringify(message);
  options?.onSize?.(Buffer.byteLength(line));
  return line;
}

// A handler that throws must not take the host down from inside a stream's event.
function attempt(transport: Transport, notify: () => void): void {
  try {
    notify();
  } catch (error) {
    report(transport, error);
  }
}

function report(transport: Transport, error: unknown): void {
  transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
}

function closedError(serverId: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)}: the connection was closed`, {
    code: "closed",
    serverId,
  });
}
