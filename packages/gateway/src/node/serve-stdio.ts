import { settleWithin } from "@hostside/core/implement";
import type { Readable, Writable } from "node:stream";
import { createBoundedWriter } from "./bounded-writer.ts";
import { createLineReader } from "./line-reader.ts";
import type { Gateway } from "../serving/gateway.ts";

/** Over which pipes. */
export interface StdioOptions {
  /** Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default `process.stdout`: nothing else may be written there. */
  readonly output?: Writable | undefined;
  /**
   * How long what is under way may go on once the client has closed its end, in milliseconds.
   * Default 2,000: hosts kill what does not end, after four seconds or so.
   */
  readonly drainMs?: number | undefined;
}

/** A client on pipes. */
export interface ServedStdio extends AsyncDisposable {
  /**
   * Resolves, with why, when the client is gone (its end of the pipe is closed and what it asked
   * for was answered, or it did not read), or the gateway is closed. The process can go then; where
   * the client left something unread, Node waits for it, and `process.exit()` does not.
   */
  readonly ended: Promise<string>;
  /** Ends it. Idempotent, never rejects. */
  close(reason?: string): Promise<void>;
}

/**
 * Serves one client over the pipes of this process, as `stdio` of MCP has it: a message is a line.
 * When the client closes its end, what is under way may finish, and be answered, for `drainMs`;
 * what waits for an answer of its user gets none. Then the rest is given up and its conversation
 * closed, as it is at once when the pipes break. The gateway stays, and whoever made it closes it.
 *
 * @example
 * await serveStdio(gateway).ended;
 * await gateway.close();
 */
export function serveStdio(gateway: Gateway, options: StdioOptions = {}): ServedStdio {
  const { input = process.stdin, output = process.stdout, drainMs = 2000 } = options;
  if (typeof drainMs !== "number" || !(drainMs >= 0))
    throw new TypeError("drainMs of serveStdio() must be a number of at least 0");
  const { limits } = gateway;
  let closing: Promise<void> | undefined;
  let onEnded: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    onEnded = resolve;
  });
  const close = (reason = "the gateway is closing"): Promise<void> => (closing ??= end(reason));
  const writer = createBoundedWriter(output, {
    ...limits,
    gathers: true,
    onGone: (reason) => void close(reason),
  });
  const connection = gateway.connect(
    (text, weight) => {
      const isSent = writer.write(`${text}\n`, weight);
      if (writer.isCrowded && !input.isPaused()) {
        input.pause();
        output.once("drain", () => void (closing === undefined && input.resume()));
      }
      return isSent;
    },
    (reason) => void close(reason),
  );
  const reader = createLineReader(limits.maxBodyBytes, {
    onLine: (line) => connection.receive(line),
    onTooLong: () => connection.refuse(`a message has more than ${limits.maxBodyBytes} bytes`),
    onNoText: () => connection.refuse("Parse error: this is no UTF-8"),
  });
  const onData = (chunk: Buffer): void => reader.take(chunk);
  const leave = (): void => void close(clientLeft);
  input.on("data", onData);
  input.once("end", () => void finish());
  input.once("error", leave);
  // Behind its end, that it is closed says nothing new.
  input.once("close", () => void (input.readableEnded || leave()));

  async function finish(): Promise<void> {
    reader.end();
    await settleWithin(Promise.race([connection.finish(), ended]), drainMs);
    leave();
  }
  async function end(reason: string): Promise<void> {
    input.off("data", onData);
    input.pause();
    await connection.close(reason);
    writer.release();
    onEnded(reason);
  }
  return { ended, close, [Symbol.asyncDispose]: () => close() };
}

const clientLeft = "the client closed its end";
