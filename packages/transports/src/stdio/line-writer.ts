import { HostsideError } from "@hostside/core";
import { withErrorContext } from "@hostside/core/implement";
import type { Writable } from "node:stream";

/** The parts of {@linkcode LineWriter}. */
export interface LineWriterInit {
  readonly stdin: Writable;
  readonly serverId: string;
  /**
   * UTF-16 units that may wait for a server that does not read. Not bytes: counting those costs as
   * much as writing them.
   */
  readonly maxWaitingLength: number;
}

type OnFailed = (reason: HostsideError) => void;

/** Lines that share one write. */
interface Batch {
  text: string;
  /** True if a byte of it may have left. */
  begun: boolean;
  readonly failing: OnFailed[];
  readonly taken: (() => void)[];
}

/**
 * The outgoing lines of one server. The lines of one turn of the event loop leave in one write, in
 * order. Errors of the stream are its owner's business: a failed write stays pending until
 * {@linkcode LineWriter.stop}.
 */
export class LineWriter {
  readonly #init: LineWriterInit;
  // One batch at a time is handed to the stream, so that those behind it are known not to have
  // left.
  readonly #leaving = new Set<Batch>();
  #collecting: Batch | undefined;
  #waitingLength = 0;
  #refusal: HostsideError | undefined;

  constructor(init: LineWriterInit) {
    this.#init = init;
  }

  /**
   * Queues a line. `onTaken` is called when the operating system has taken it. `onFailed` is called
   * at most once, perhaps at once: with `overloaded`, `not-sent`, when more than `maxWaitingLength`
   * would wait (one line alone is never too long), and with the reason given to
   * {@linkcode LineWriter.end} or {@linkcode LineWriter.stop}: `not-sent` for a line of which no
   * byte left, else `unknown`. Neither may throw.
   */
  post(line: string, onFailed: OnFailed, onTaken?: () => void): void {
    const { serverId, maxWaitingLength } = this.#init;
    if (this.#refusal) return onFailed(withErrorContext(this.#refusal, { outcome: "not-sent" }));
    if (this.#waitingLength > 0 && this.#waitingLength + line.length > maxWaitingLength)
      return onFailed(overloaded(serverId, this.#waitingLength));
    if (!this.#collecting) {
      this.#collecting = { text: "", begun: false, failing: [], taken: [] };
      // Comes after all microtasks that are due, so that calls made by answers that came in
      // together leave together.
      process.nextTick(() => {
        if (this.#leaving.size === 0) this.#flush();
      });
    }
    this.#collecting.text += `${line}\n`;
    this.#waitingLength += line.length + 1;
    this.#collecting.failing.push(onFailed);
    if (onTaken !== undefined) this.#collecting.taken.push(onTaken);
  }

  /** Sends what is queued, then ends the stream. Later lines are refused with `reason`. */
  end(reason: HostsideError): void {
    this.#refusal ??= reason;
    this.#flush();
    this.#init.stdin.end();
  }

  /** Settles every line that did not leave, with `reason`, and refuses later ones. */
  stop(reason: HostsideError): void {
    this.#refusal ??= reason;
    const batches = [...this.#leaving, ...(this.#collecting ? [this.#collecting] : [])];
    this.#collecting = undefined;
    for (const batch of batches) {
      const error = withErrorContext(reason, { outcome: batch.begun ? "unknown" : "not-sent" });
      // At once: the end of the connection, told next, fails all that wait as one.
      for (const onFailed of batch.failing.splice(0)) onFailed(error);
    }
  }

  #flush(): void {
    const { stdin } = this.#init;
    const batch = this.#collecting;
    if (!batch) return;
    this.#collecting = undefined;
    this.#leaving.add(batch);
    batch.begun = true;
    stdin.write(batch.text, "utf8", (error) => {
      if (error) return;
      this.#leaving.delete(batch);
      this.#waitingLength -= batch.text.length;
      for (const onTaken of batch.taken) onTaken();
      this.#flush();
    });
    // The first attempt to write is made within the call: a stream that fails there has sent
    // nothing.
    if (stdin.errored !== null || stdin.destroyed) batch.begun = false;
  }
}

function overloaded(serverId: string, waitingLength: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} does not read its stdin: ${waitingLength} characters wait for it already`,
    { code: "overloaded", serverId, outcome: "not-sent" },
  );
}
