import { HostsideError } from "@hostside/core";
import { createSlots, withErrorContext } from "@hostside/core/implement";
import type { Writable } from "node:stream";

/** What a {@linkcode LineWriter} is made from. */
export interface LineWriterInit {
  readonly stdin: Writable;
  readonly serverId: string;
  /**
   * UTF-16 units that may wait for a server that does not read. Not bytes: counting those costs as
   * much as writing them.
   */
  readonly maxWaitingLength: number;
}

/** The outgoing lines of one server. */
export interface LineWriter {
  /**
   * Queues a line. The lines of one turn of the event loop leave in one write, in order. Resolves
   * when the operating system has taken the line. Rejects with `overloaded`, `not-sent`, when more
   * than `maxWaitingLength` would wait (one line alone is never too long), and with the reason
   * given to {@linkcode end} or {@linkcode stop}: `not-sent` for a line of which no byte left, else
   * `unknown`.
   */
  write(line: string): Promise<void>;
  /**
   * The same without a promise: `onFailed` is called with what `write` rejects with, at most once,
   * and perhaps at once. It must not throw.
   */
  post(line: string, onFailed: OnFailed): void;
  /** Sends what is queued, then ends the stream. Later lines are refused with `reason`. */
  end(reason: HostsideError): void;
  /** Settles every line that did not leave, with `reason`, and refuses later ones. */
  stop(reason: HostsideError): void;
}

type OnFailed = (reason: HostsideError) => void;

/** Lines that share one write. */
interface Batch {
  text: string;
  /** Whether a byte of it may have left. */
  begun: boolean;
  readonly failing: OnFailed[];
  /** Those who wait until it has left. */
  readonly taken: (() => void)[];
}

/**
 * Makes the writer. Errors of the stream are its owner's business: a failed write stays pending
 * until {@linkcode LineWriter.stop}.
 */
export function createLineWriter({ stdin, serverId, maxWaitingLength }: LineWriterInit): LineWriter {
  // One batch at a time is handed to the stream, so that those behind it are known not to have
  // left.
  const leaving = createSlots<Batch>();
  let collecting: Batch | undefined;
  let waitingLength = 0;
  let refusal: HostsideError | undefined;

  const flush = (): void => {
    const batch = collecting;
    if (!batch) return;
    collecting = undefined;
    const slot = leaving.add(batch);
    batch.begun = true;
    stdin.write(batch.text, "utf8", (error) => {
      if (error) return;
      leaving.remove(slot, batch);
      waitingLength -= batch.text.length;
      for (const onTaken of batch.taken) onTaken();
      flush();
    });
    // The first attempt to write is made within the call: a stream that fails there has sent
    // nothing.
    if (stdin.errored !== null || stdin.destroyed) batch.begun = false;
  };
  const flushInTurn = (): void => {
    if (leaving.size === 0) flush();
  };
  const queue = (line: string, onFailed: OnFailed, onTaken?: () => void): void => {
    if (refusal) return onFailed(withErrorContext(refusal, { outcome: "not-sent" }));
    if (waitingLength > 0 && waitingLength + line.length > maxWaitingLength)
      return onFailed(overloaded(serverId, waitingLength));
    if (!collecting) {
      collecting = { text: "", begun: false, failing: [], taken: [] };
      // Comes after all microtasks that are due, so that calls made by answers that came in
      // together leave together.
      process.nextTick(flushInTurn);
    }
    collecting.text += `${line}\n`;
    waitingLength += line.length + 1;
    collecting.failing.push(onFailed);
    if (onTaken !== undefined) collecting.taken.push(onTaken);
  };
  return {
    write(line) {
      const left = new Promise<void>((resolve, reject) => queue(line, reject, resolve));
      // The end of a connection is reported by `onclose` as well: a sender that does not look at
      // its promise must not crash the host.
      left.catch(() => {});
      return left;
    },
    post: (line, onFailed) => queue(line, onFailed),
    end(reason) {
      refusal ??= reason;
      flush();
      stdin.end();
    },
    stop(reason) {
      refusal ??= reason;
      const batches = [...leaving.values(), ...(collecting ? [collecting] : [])];
      collecting = undefined;
      for (const { begun, failing } of batches) {
        const error = withErrorContext(reason, { outcome: begun ? "unknown" : "not-sent" });
        // In a later turn, as a promise would: the end of the connection is told first.
        for (const onFailed of failing.splice(0)) queueMicrotask(() => onFailed(error));
      }
    },
  };
}

function overloaded(serverId: string, waitingLength: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} does not read its stdin: ${waitingLength} characters wait for it already`,
    { code: "overloaded", serverId, outcome: "not-sent" },
  );
}
