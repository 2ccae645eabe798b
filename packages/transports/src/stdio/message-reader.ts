import { HostsideError, type Diagnostic, type JsonObject } from "@hostside/core";
import type { Redactor } from "@hostside/core/implement";
import type { RequestId } from "../message/json-rpc.ts";
import { isUtf8 } from "node:buffer";
import { isMessage } from "../message/is-message.ts";
import { isLargeBatch, tooManyMessages } from "../message/count-members.ts";
import { maxMessageDepth } from "../message/message-depth.ts";
import { createLineSplitter, type OversizedLine } from "./line-splitter.ts";
import { parseLine } from "./parse-line.ts";
import { recoverRequestId } from "../message/recover-request-id.ts";
import { withoutBrokenEnd, safeExcerpt } from "../text/safe-excerpt.ts";
import { createSeldomReport } from "../context/report-seldom.ts";
import type { ServerContext } from "../context/server-context.ts";

// A server that is still on the same line after this many times the limit will not end it.
const endlessFactor = 16;
const notUtf8 = "not valid UTF-8, whose broken bytes are read as U+FFFD";
const tooDeep = `nested deeper than ${maxMessageDepth} levels`;

/** What a {@linkcode MessageReader} is made from. */
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
  /** Told of lines that are nobody's answer, a bounded number of times. */
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
  /** A line does not end; memory is safe, but nothing more will come of this stream. */
  readonly onEndless: (error: HostsideError) => void;
}

/** Turns what a server writes to stdout into messages. */
export interface MessageReader {
  /**
   * The first line that was no message, bounded and without secrets; `undefined` without one, and
   * after {@linkcode MessageReader.started}.
   */
  readonly strayLine: string | undefined;
  /** Whether the rest of the current line is thrown away. */
  readonly isSkipping: boolean;
  /** The server has started: what it wrote first explains nothing any more. */
  started(): void;
  push(chunk: Buffer): void;
  /** The stream ended: a last message without a line feed still counts. */
  end(): void;
}

/**
 * Makes the reader. Whatever comes, it holds at most one message of `maxMessageBytes` bytes and
 * never throws by itself.
 */
export function createMessageReader(init: MessageReaderInit): MessageReader {
  const { serverId, maxMessageBytes, onMessage, onRequestFailed, onEndless } = init;
  const anomalies = createStrayLineReport(init);
  const fail = (id: RequestId, code: BadAnswer, what: string): void =>
    onRequestFailed(id, badAnswerError(serverId, code, what));
  const readLine = (line: string, bytes: number): void => {
    const parsed = parseLine(line, init);
    switch (parsed.kind) {
      case "messages":
        for (const message of parsed.messages) {
          if (isMessage(message)) onMessage(message, bytes);
          else anomalies.add("no JSON-RPC message", line);
        }
        if (parsed.strayCount > 0) anomalies.add("a batch with members that are no messages", line);
        return;
      case "too-deep":
        return parsed.requestId === undefined
          ? anomalies.add(tooDeep, line)
          : fail(parsed.requestId, "protocol_error", tooDeep);
      case "excessive":
        return parsed.requestId === undefined
          ? anomalies.add(parsed.error.rawMessage, line)
          : onRequestFailed(parsed.requestId, parsed.error);
      case "anomaly":
        return anomalies.add(parsed.reason, line);
      case "blank":
        return;
    }
  };
  let hasStarted = false;
  let isRejected = false;
  let isUseless = false;
  // Whoever waits for the answer need not wait for the rest of it.
  const rejectTooLong = (head: Buffer): void => {
    const id = recoverRequestId({ head: head.toString("utf8"), tail: "" });
    isRejected = id !== undefined;
    if (id !== undefined)
      fail(id, "message_too_large", `too long (more than maxMessageBytes, ${maxMessageBytes} bytes)`);
  };
  const rejectOversized = (line: OversizedLine): void => {
    if (isUseless) {
      isUseless = false;
      return anomalies.add(tooManyMessages, line.head.toString("utf8"));
    }
    if (isRejected) return;
    const tooLong = `too long (${line.bytes} bytes; maxMessageBytes is ${maxMessageBytes})`;
    const id = recoverRequestId({ head: line.head.toString("utf8"), tail: line.tail.toString("utf8") });
    if (id === undefined) anomalies.add(tooLong, withoutBrokenEnd(line.head.toString("utf8")));
    else fail(id, "message_too_large", tooLong);
  };
  const splitter = createLineSplitter({
    maxLineBytes: maxMessageBytes,
    onLine(bytes, start, end) {
      const line = bytes.toString("utf8", start, end);
      if (line.includes("\uFFFD") && !isUtf8(bytes.subarray(start, end))) anomalies.mention(notUtf8, line);
      readLine(line, end - start);
    },
    onTooLong: rejectTooLong,
    // To keep and to decode megabytes that nobody reads holds up everybody else.
    isUseless(beginning) {
      return (isUseless = isLargeBatch(beginning.toString("utf8")));
    },
    onOversized: rejectOversized,
  });
  return {
    started() {
      hasStarted = true;
    },
    push(chunk) {
      splitter.push(chunk);
      const { droppedBytes } = splitter;
      if (droppedBytes > endlessFactor * maxMessageBytes) onEndless(endlessError(serverId, droppedBytes));
    },
    end: () => splitter.end(),
    get strayLine() {
      return hasStarted ? undefined : anomalies.first;
    },
    get isSkipping() {
      return splitter.droppedBytes > 0;
    },
  };
}

type BadAnswer = "message_too_large" | "protocol_error";

function badAnswerError(serverId: string, code: BadAnswer, what: string): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} sent an answer that is ${what}`, { code, serverId });
}

function endlessError(serverId: string, bytes: number): HostsideError {
  const what = `writes a line to stdout that does not end (${bytes} bytes so far)`;
  return new HostsideError(`server ${JSON.stringify(serverId)} ${what}`, { code: "message_too_large", serverId });
}

const maxExcerptLength = 200;

/** Reports lines on stdout that are of no use. */
export interface StrayLineReport {
  /**
   * The first line that was no message, bounded and without secrets; absent when there was none.
   */
  readonly first: string | undefined;
  /** A line was no message: `reason` completes "a line that is …". */
  add(reason: string, line: string): void;
  /** The same of a line that is a message all the same. */
  mention(reason: string, line: string): void;
}

/** Reports them ever more seldom, each as a `stdout-anomaly` diagnostic that quotes the line. */
export function createStrayLineReport(
  context: Pick<ServerContext, "onDiagnostic" | "redact" | "serverId">,
): StrayLineReport {
  const report = createSeldomReport(context, { kind: "stdout-anomaly", noun: "lines" });
  const excerptOf = (line: string): string => safeExcerpt(line, context.redact, maxExcerptLength);
  const mention = (reason: string, line: string): void =>
    report((soFar) => `wrote a line to stdout that is ${reason}: ${JSON.stringify(excerptOf(line))}${soFar}`);
  let first: string | undefined;
  return {
    add(reason, line) {
      first ??= excerptOf(line);
      mention(reason, line);
    },
    mention,
    get first() {
      return first;
    },
  };
}
