import { HostsideError, type JsonObject } from "@hostside/core";
import type { TransportContext } from "../context/transport-context.ts";
import type { SendOptions, Transport } from "../message/transport.ts";
import { deathError } from "./death-error.ts";
import { watchForDeath } from "./death-watch.ts";
import { endProcess } from "./end-process.ts";
import { createLineWriter, type LineWriter } from "./line-writer.ts";
import { createMessageReader, type MessageReader, type MessageReaderInit } from "./message-reader.ts";
import type { ProcessGroup } from "./process-group.ts";
import { readInSlices, type SlicedPipe } from "./read-in-slices.ts";
import { readServerStderr } from "./server-stderr.ts";
import type { ServerProcess } from "./server-process.ts";
import { terminateOnExit } from "./terminate-on-exit.ts";

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
  let output: SlicedPipe | undefined;

  const isOpen = (): boolean => state !== "closed";
  const transport: StdioTransport = {
    pid: process.pid,
    isOrdered: true,
    async start() {
      if (state === "started") throw new TypeError("this transport was started already");
      if (state === "closed") throw closeReason ?? closedError(serverId);
      state = "started";
      process.stdout.once("data", onStarted);
      output = readOutput(process.stdout, reader, { clock, isOpen });
    },
    // Only a handshake that is done has found a revision.
    setProtocolVersion() {
      reader.started();
      stderr.started();
    },
    send: (message, options) => writeLine(writer, message, options),
    post(message, options, onFailed) {
      const line = lineUnlessFailed(message, options, onFailed);
      if (line !== undefined) writer.post(line, onFailed);
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
  const maxWaitingLength = waitingFactor * maxMessageBytes;
  const writer = createLineWriter({ stdin: process.stdin, serverId, maxWaitingLength });
  const sink = createSink(transport, context, isOpen);
  const reader = createMessageReader({ serverId, maxMessageBytes, maxMessageValues, redact, onEndless: fail, ...sink });
  const stderr = readServerStderr(process.stderr, { tailBytes: stderrTailBytes, redact, onLog: sink.onLog, clock });
  const cancelTermination = terminateOnExit(group, () => !isOpen());
  const cancelWatch = watchForDeath({
    process,
    pipes: () => [output ?? process.stdout, stderr.pipe],
    clock,
    onDeath(death) {
      for (const pipe of [output, stderr.pipe]) pipe?.flush();
      reader.end();
      fail(deathError(death, { stderrTail: stderr.quote(), strayLine: reader.strayLine }, { serverId, redact }));
    },
  });
  return transport;
}

// Not async: the writer handles the rejection of a promise that nobody looks at.
function writeLine(writer: LineWriter, ...[message, options]: Parameters<StdioTransport["send"]>): Promise<void> {
  try {
    return writer.write(toLine(message, options));
  } catch (error) {
    return Promise.reject(error);
  }
}

function readOutput(
  stdout: ServerProcess["stdout"],
  reader: MessageReader,
  { clock, isOpen }: { readonly clock: TransportContext["clock"]; readonly isOpen: () => boolean },
): SlicedPipe {
  return readInSlices(stdout, {
    clock,
    onBytes(bytes) {
      if (isOpen()) reader.push(bytes);
    },
    // A process that is being ended must not have to wait until it can write its last words.
    mayWait: () => isOpen() && reader.isSkipping,
  });
}

/** What reports upwards, as long as the transport is open. */
function createSink(
  transport: Transport,
  { onDiagnostic, onLog }: TransportContext,
  isOpen: () => boolean,
): Pick<MessageReaderInit, "onDiagnostic" | "onMessage" | "onRequestFailed"> & Pick<TransportContext, "onLog"> {
  const whileOpen = (notify: () => void): void => {
    if (isOpen()) attempt(transport, notify);
  };
  return {
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
    onDiagnostic: (diagnostic) => whileOpen(() => onDiagnostic(diagnostic)),
    onLog: (log) => whileOpen(() => onLog(log)),
  };
}

function toLine(message: JsonObject, options: SendOptions | undefined): string {
  const line = JSON.stringify(message);
  options?.onSize?.(Buffer.byteLength(line));
  return line;
}

function lineUnlessFailed(
  message: JsonObject,
  options: SendOptions | undefined,
  onFailed: (error: unknown) => void,
): string | undefined {
  try {
    return toLine(message, options);
  } catch (error) {
    onFailed(error);
    return undefined;
  }
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
