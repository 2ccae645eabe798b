import { HostsideError, type Diagnostic, type JsonObject } from "@hostside/core";
import { isJsonObject, type Redactor } from "@hostside/core/implement";
import { createSeldomReport } from "../context/server-context.ts";
import { admitText, isMessage, isUtf8, recoverRequestId, tooManyValues } from "../message/bound-message.ts";
import type { RequestId } from "../message/transport.ts";
import { safeExcerpt, withoutBrokenEnd } from "../text/safe-excerpt.ts";
import { LineSplitter, type OversizedLine } from "./line-splitter.ts";

// A server that is still on the same line after this many times the limit will not end it.
const endlessFactor = 16;
const notUtf8 = "not valid UTF-8, whose broken bytes are read as U+FFFD";
const maxExcerptLength = 200;

/** The parts of {@linkcode MessageReader}. */
export interface MessageReaderInit {
  readonly serverId: string;
  readonly maxMessageBytes: number;
  readonly maxMessageValues: number;
  readonly redact: Redactor;
  /** `bytes` is the length of its line. */
  readonly onMessage: (message: JsonObject, bytes: number) => void;
  /**
   * An answer came that cannot be let in: `message_too_large`, also of too many values, or
   * `protocol_error` when it is nested too deeply.
   */
  readonly onRequestFailed: (id: RequestId, error: HostsideError) => void;
  /** Hears of lines that are no answer to any request, a bounded number of times. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** A line does not end; memory is safe, but nothing more will come of this stream. */
  readonly onEndless: (error: HostsideError) => void;
}

/**
 * Turns what a server writes to stdout into messages. It holds at most one message of
 * `maxMessageBytes` bytes, and never throws by itself. Odd lines are reported ever more seldom,
 * each as a `stdout-anomaly` that quotes the line.
 */
export class MessageReader {
  readonly #init: MessageReaderInit;
  readonly #splitter: LineSplitter;
  readonly #report: ReturnType<typeof createSeldomReport>;
  #firstStray: string | undefined;
  #hasStarted = false;
  /** The request of the line that is too long was told already. */
  #isRejected = false;

  constructor(init: MessageReaderInit) {
    this.#init = init;
    this.#report = createSeldomReport(init, { kind: "stdout-anomaly", noun: "lines" });
    this.#splitter = new LineSplitter({
      maxLineBytes: init.maxMessageBytes,
      maxLineValues: init.maxMessageValues,
      onLine: (bytes, start, end) => {
        const line = bytes.toString("utf8", start, end);
        if (!isUtf8(bytes.subarray(start, end), line)) this.#mention(notUtf8, line);
        this.#readLine(line, end - start);
      },
      // The caller need not wait for the rest of the answer.
      onTooLong: (head) => {
        const id = recoverRequestId({ head: head.toString("utf8"), tail: "" });
        this.#isRejected = id !== undefined;
        const tooLong = `too long (more than maxMessageBytes, ${init.maxMessageBytes} bytes)`;
        if (id !== undefined) this.#fail(id, "message_too_large", tooLong);
      },
      onOversized: (line) => this.#rejectOversized(line),
    });
  }

  /**
   * The first line that was no message, bounded and without secrets; `undefined` without one, and
   * after {@linkcode MessageReader.started}.
   */
  get strayLine(): string | undefined {
    return this.#hasStarted ? undefined : this.#firstStray;
  }

  /** The server has started: what it wrote first explains nothing any more. */
  started(): void {
    this.#hasStarted = true;
  }

  push(chunk: Buffer): void {
    const { maxMessageBytes, onEndless, serverId } = this.#init;
    this.#splitter.push(chunk);
    const { droppedBytes } = this.#splitter;
    if (droppedBytes <= endlessFactor * maxMessageBytes) return;
    const what = `writes a line to stdout that does not end (${droppedBytes} bytes so far)`;
    onEndless(new HostsideError(`server ${JSON.stringify(serverId)} ${what}`, { code: "message_too_large", serverId }));
  }

  /** The stream ended: a last message without a line feed still counts. */
  end(): void {
    this.#splitter.end();
  }

  #readLine(line: string, bytes: number): void {
    const text = line.startsWith("\uFEFF") ? line.slice(1) : line;
    // Cheaper than an exception per line when a program prints a lot of prose.
    if (!/^[ \t\r]*[{[]/.test(text)) {
      if (text.trim() !== "") this.#add("not JSON", line);
      return;
    }
    // The splitter has counted the values.
    const admitted = admitText(text, { serverId: this.#init.serverId, maxMessageValues: Infinity });
    if (admitted.fault === undefined) return this.#readJson(admitted.json, line, bytes);
    const { fault, id } = admitted;
    // A log line may have been written into the middle of an answer, so that broken JSON fails
    // none.
    if (id === undefined || fault === "not JSON") this.#add(fault, line);
    else this.#fail(id, "protocol_error", fault);
  }

  #readJson(json: unknown, line: string, bytes: number): void {
    // JSON-RPC batches exist in 2025-03-26.
    const items: readonly unknown[] = Array.isArray(json) ? json : [json];
    const messages = items.filter(isJsonObject);
    for (const message of messages) {
      if (isMessage(message)) this.#init.onMessage(message, bytes);
      else this.#add("no JSON-RPC message", line);
    }
    if (messages.length === 0) this.#add("no JSON-RPC message", line);
    else if (messages.length < items.length) this.#add("a batch with members that are no messages", line);
  }

  #rejectOversized({ head, tail, bytes, values }: OversizedLine): void {
    if (this.#isRejected) {
      this.#isRejected = false;
      return;
    }
    const beginning = head.toString("utf8");
    const id = recoverRequestId({ head: beginning, tail: tail.toString("utf8") });
    const excess = values === undefined ? undefined : tooManyValues(values, this.#init);
    const tooLong = `too long (${bytes} bytes; maxMessageBytes is ${this.#init.maxMessageBytes})`;
    if (id === undefined) this.#add(excess?.rawMessage ?? tooLong, withoutBrokenEnd(beginning));
    else if (excess !== undefined) this.#init.onRequestFailed(id, excess);
    else this.#fail(id, "message_too_large", tooLong);
  }

  #fail(id: RequestId, code: "message_too_large" | "protocol_error", what: string): void {
    const { serverId, onRequestFailed } = this.#init;
    const message = `server ${JSON.stringify(serverId)} sent an answer that is ${what}`;
    onRequestFailed(id, new HostsideError(message, { code, serverId }));
  }

  /** A line was no message: `reason` completes "a line that is …". */
  #add(reason: string, line: string): void {
    this.#firstStray ??= this.#excerptOf(line);
    this.#mention(reason, line);
  }

  #mention(reason: string, line: string): void {
    this.#report(
      (soFar) => `wrote a line to stdout that is ${reason}: ${JSON.stringify(this.#excerptOf(line))}${soFar}`,
    );
  }

  #excerptOf(line: string): string {
    return safeExcerpt(line, this.#init.redact, maxExcerptLength);
  }
}
