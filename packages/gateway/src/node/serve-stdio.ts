import { stdin, stdout } from "node:process";
import type { Readable, Writable } from "node:stream";
import { systemClock, withDefaults } from "@toolport/core/implement";
import type { Clock } from "@toolport/core";
import { readLimits, type GatewayLimits } from "../gateway-limits.ts";
import type { Gateway } from "../gateway.ts";
import { createBoundedWriter } from "./bounded-writer.ts";
import { createLineReader } from "./line-reader.ts";

/** Over which pipes. */
export interface StdioOptions {
  /** Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default `process.stdout`: nothing else may be written there. */
  readonly output?: Writable | undefined;
  /** Default those of the gateway. */
  readonly limits?: Partial<Pick<GatewayLimits, "maxBodyBytes" | "maxBufferedBytes" | "slowReaderMs">> | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}

/** A client on pipes. */
export interface ServedStdio extends AsyncDisposable {
  /**
   * Resolves, with why, when the client is gone (its end of the pipe is closed, or it did not read), or the gateway is closed. The process can go then; where the client left something unread, Node waits for it,
   * and `process.exit()` does not.
   */
  readonly ended: Promise<string>;
  /** Ends it. Idempotent, never rejects. */
  close(reason?: string): Promise<void>;
}

/**
 * Serves one client over the pipes of this process, as `stdio` of MCP has it: a message is a line. When the client closes its end, what is under way is given up and its conversation closed; the
 * gateway stays, and whoever made it closes it.
 */
export function serveStdio(gateway: Gateway, options: StdioOptions = {}): ServedStdio {
  const { input = stdin, output = stdout, clock = systemClock } = options;
  const limits = readLimits(withDefaults(gateway.limits, options.limits ?? {}));
  let closing: Promise<void> | undefined;
  let onEnded: (reason: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    onEnded = resolve;
  });
  const close = (reason = "the gateway is closing"): Promise<void> => (closing ??= end(reason));
  const writer = createBoundedWriter(output, {
    ...limits,
    clock,
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
  });
  const onData = (chunk: Buffer): void => reader.take(chunk);
  const onEnd = (): void => void close("the client closed its end");
  input.on("data", onData);
  input.once("end", onEnd);
  input.once("close", onEnd);
  input.once("error", onEnd);

  async function end(reason: string): Promise<void> {
    input.off("data", onData);
    input.pause();
    await connection.close(reason);
    writer.release();
    onEnded(reason);
  }
  return { ended, close, [Symbol.asyncDispose]: () => close() };
}
