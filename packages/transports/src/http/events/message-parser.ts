import type { HostsideError, JsonObject, ServerLimits } from "@hostside/core";
import { isHeaderValue, isJsonObject, utf8Length } from "@hostside/core/implement";
import { createParser, type EventSourceParser } from "eventsource-parser";
import { createSeldomReport, type ServerContext } from "../../context/server-context.ts";
import { messageTooLarge, noAnswer, noMessages } from "../exchange/answer-error.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import { admitText } from "../../message/bound-message.ts";
import type { RequestId } from "../../message/transport.ts";

// Signs of life are no messages, and a server that may send small messages alone may send them,
// too. But a mebibyte of them is none.
const leastIdleBytes = 65_536;
const mostIdleBytes = 1024 * 1024;
// Reading an event is work, however little is in it.
const eventCost = 64;
const longestEventId = 1024;
// The parser keeps each piece of a line that it is fed, and looks for the end of a line through all
// of it.
const pieceBytes = 4096;
const [lineFeed, carriageReturn] = [10, 13];

/** The fate of text that is not valid UTF-8. */
export const brokenBytesRead = "its broken bytes are read as U+FFFD";

/** The parts of a parser of messages. */
export interface MessageParserInit {
  /**
   * `maxMessageBytes` bounds one message, and, from 64 KiB on, all that may come between two. Its
   * `sink` is told of what is odd.
   */
  readonly reading: ReadingContext;
  /**
   * Called for each message, as parsed JSON of any kind, with the size of its data.
   */
  readonly onJson: (json: unknown, bytes: number) => void;
  /**
   * Called for an answer that cannot be let in, with the request that it names: it is no JSON, or
   * nested too deeply, or has too many values. `what` says so in a few words of ours. Default: it
   * is noise like any other.
   */
  readonly onBrokenAnswer?: (id: RequestId, what: string, error: HostsideError) => void;
  /** Called for events that are no message. Default: they are ignored. */
  readonly onOtherEvent?: (type: string, data: string) => void;
}

/**
 * Reads streams of events that are JSON-RPC messages. An event that is no JSON is skipped, with a
 * word to the sink, and so is a batch of more than 1,000 messages.
 */
export class MessageParser {
  /** The latest event id that a header can carry; what `Last-Event-ID` should say. */
  lastEventId: string | undefined;
  /** The latest `retry:`, in milliseconds. */
  retryMs: number | undefined;
  readonly #init: MessageParserInit;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #maxSkipped: number;
  /** Length of what was skipped since the last message. */
  #skipped = 0;
  /** Bytes since the last event. */
  #sinceEvent = 0;
  /** The beginning of a line that came in small pieces. */
  #gathered: Uint8Array | undefined;
  #gatheredBytes = 0;

  constructor(init: MessageParserInit) {
    const { endpoint, limits } = init.reading;
    const { maxMessageBytes } = limits;
    this.#init = init;
    this.#maxSkipped = Math.max(maxMessageBytes, leastIdleBytes);
    this.#parser = createParser({
      maxBufferSize: maxMessageBytes + eventCost,
      onEvent: ({ id, event = "message", data }) => {
        this.#sinceEvent = 0;
        if (id !== undefined && id.length <= longestEventId && isHeaderValue(id)) this.lastEventId = id;
        if (data === "") this.#skip(data);
        else this.#read(event, data);
      },
      onRetry: (retryMs) => void (this.retryMs = retryMs),
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") throw messageTooLarge(endpoint, maxMessageBytes);
      },
    });
  }

  /**
   * Takes the next bytes. Throws `message_too_large` for a message beyond the limit, and for that
   * much without a message.
   */
  push(chunk: Uint8Array): void {
    const { endpoint, limits } = this.#init.reading;
    const maxIdleBytes = Math.min(this.#maxSkipped, mostIdleBytes);
    this.#sinceEvent += chunk.length;
    for (let at = 0; at < chunk.length; at += pieceBytes) this.#take(chunk.subarray(at, at + pieceBytes));
    if (this.#sinceEvent > limits.maxMessageBytes + maxIdleBytes) throw noMessages(endpoint, maxIdleBytes);
  }

  #take(piece: Uint8Array): void {
    const length = this.#gatheredBytes + piece.length;
    const isSmall = length < pieceBytes && this.#sinceEvent <= this.#init.reading.limits.maxMessageBytes;
    if (isSmall && !piece.includes(lineFeed) && !piece.includes(carriageReturn)) {
      this.#gathered ??= new Uint8Array(pieceBytes);
      this.#gathered.set(piece, this.#gatheredBytes);
      this.#gatheredBytes = length;
      return;
    }
    const before = this.#gathered?.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    const beginning = before === undefined ? "" : this.#decoder.decode(before, { stream: true });
    this.#parser.feed(beginning + this.#decoder.decode(piece, { stream: true }));
  }

  #read(type: string, data: string): void {
    const { reading, onJson, onOtherEvent, onBrokenAnswer } = this.#init;
    const { endpoint, sink, limits } = reading;
    if (type !== "message") {
      this.#skip(data);
      return onOtherEvent?.(type, data);
    }
    const bytes = utf8Length(data);
    if (bytes > limits.maxMessageBytes) throw messageTooLarge(endpoint, limits.maxMessageBytes);
    if (data.includes("\uFFFD")) sink.onAnomaly("an event with U+FFFD, which may stand for broken UTF-8", "it is read");
    const admitted = admitText(data, { ...limits, serverId: endpoint.serverId });
    if (admitted.fault === undefined) {
      if (typeof admitted.json === "object" && admitted.json !== null) this.#skipped = 0;
      else this.#skip(data);
      return onJson(admitted.json, bytes);
    }
    const { fault, id, excess } = admitted;
    if (id !== undefined && onBrokenAnswer !== undefined)
      return onBrokenAnswer(id, fault, excess ?? noAnswer(endpoint, `an answer that is ${fault}`, data));
    this.#skip(data);
    sink.onAnomaly(`an event that is ${fault}`);
  }

  #skip(data: string): void {
    this.#skipped += data.length + eventCost;
    if (this.#skipped > this.#maxSkipped) throw noMessages(this.#init.reading.endpoint, this.#maxSkipped);
  }
}

/** The receiver of messages. */
export interface ReceivedMessageSink {
  /** `relatedId` is the request on whose stream it came. */
  deliver(message: JsonObject, relatedId?: RequestId, bytes?: number): void;
  /**
   * Something is odd: `what` it is, and what became of it if it was not skipped, in a few words of
   * ours.
   */
  onAnomaly(what: string, fate?: string): void;
}

/** The receiver of JSON, and its size, where that is known. */
export interface Acceptance {
  readonly sink: ReceivedMessageSink;
  readonly bytes?: number | undefined;
}

/**
 * Passes on the JSON that came with the answer to request `id`, and returns whether the answer was
 * among it. On HTTP each answer comes with its own request: one to any other is noise. One whose id
 * came back as text, or an error without an id, from a server that could not read it, can only be
 * meant for this request, and gets its id.
 */
export function acceptAnswer(json: unknown, id: RequestId, { sink, bytes }: Acceptance): boolean {
  // Batches exist in 2025-03-26 alone, and only there may a server send one.
  if (Array.isArray(json)) return json.filter((item) => acceptOne(item, id, { sink })).length > 0;
  return acceptOne(json, id, { sink, bytes });
}

/**
 * Passes on the JSON that came on a stream for no request in particular. Answers do not belong
 * there.
 */
export function acceptUnsolicited(json: unknown, sink: ReceivedMessageSink): void {
  for (const item of Array.isArray(json) ? json : [json]) acceptOne(item, undefined, { sink });
}

/**
 * Passes on the JSON that came on a stream for everything; whoever gets it knows what was asked.
 */
export function acceptAny(json: unknown, { sink, bytes }: Acceptance): void {
  for (const item of Array.isArray(json) ? json : [json]) {
    if (isJsonObject(item)) sink.deliver(item, undefined, bytes);
    else sink.onAnomaly("JSON that is no message");
  }
}

function acceptOne(value: unknown, id: RequestId | undefined, { sink, bytes }: Acceptance): boolean {
  if (!isJsonObject(value)) {
    sink.onAnomaly("JSON that is no message");
    return false;
  }
  if ("method" in value) {
    sink.deliver(value, id);
    return false;
  }
  if (id === undefined || !answers(value, id)) {
    sink.onAnomaly("an answer to another request");
    return false;
  }
  sink.deliver(value["id"] === id ? value : { ...value, id }, undefined, bytes);
  return true;
}

function answers(message: JsonObject, id: RequestId): boolean {
  const given = message["id"];
  return isSameId(given, id) || ((given === null || given === undefined) && "error" in message);
}

/**
 * True if an id is that of a request of ours, or what some servers make of it: the same as text.
 */
export function isSameId(given: unknown, id: RequestId): boolean {
  return given === id || given === String(id);
}

/** Takes what is odd in a message, and what became of it, in a few words of ours. */
type AnomalyReport = (what: string, fate?: string) => void;

/** Reports odd messages ever more seldom, each as a `protocol-anomaly` diagnostic. */
export function createAnomalyReport(context: Pick<ServerContext, "onDiagnostic" | "serverId">): AnomalyReport {
  const report = createSeldomReport(context, { kind: "protocol-anomaly", noun: "messages" });
  return (what, fate = "it was skipped") => report((soFar) => `sent ${what}; ${fate}${soFar}`);
}

/** The input of readers of a server's messages. */
export interface ReadingContext {
  readonly endpoint: HttpEndpoint;
  readonly sink: ReceivedMessageSink;
  /** How large one message of the server may be. */
  readonly limits: Pick<ServerLimits, "maxMessageBytes" | "maxMessageValues">;
}
