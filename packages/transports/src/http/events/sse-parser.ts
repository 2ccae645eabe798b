import { isHeaderValue } from "@hostside/core/implement";
import { createByteBuffer, type ByteBuffer } from "../../bytes/byte-buffer.ts";
import { isUtf8 } from "../../bytes/is-utf8.ts";

/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** `"message"` unless the server named it. */
  readonly type: string;
  readonly data: string;
  /** The id that the event itself gave, if it is one that a header can carry. */
  readonly id?: string | undefined;
}

/** Reads a `text/event-stream` as the WHATWG describes it, from bytes cut anywhere. */
export interface SseParser {
  /**
   * Takes the next bytes. Throws what the init's errors are, or what `onEvent` throws; the parser
   * is of no use afterwards.
   */
  push(chunk: Uint8Array): void;
  /**
   * The latest event id; what `Last-Event-ID` should say. Ids that no header can carry are ignored.
   */
  readonly lastEventId: string | undefined;
  /** The latest `retry:`, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** What an {@linkcode SseParser} is made from. */
export interface SseParserInit {
  /** Called for each event that has data, in the middle of `push`, with how long they were. */
  readonly onEvent: (event: SseEvent, bytes: number) => void;
  /** Called before `onEvent` for an event whose data is not valid UTF-8. */
  readonly onNotUtf8?: (() => void) | undefined;
  /** Whether what comes first is not the beginning of the stream. Default `false`. */
  readonly isContinued?: boolean;
  /** Bytes of data that one event may have. */
  readonly maxEventBytes: number;
  /**
   * Bytes of all that is no data, blank lines and comments, until there is an event again. Default:
   * `maxEventBytes`.
   */
  readonly maxIdleBytes?: number;
  /** The error for an event that is too large. */
  readonly tooLarge: () => Error;
  /** The error for too much without an event. Default: `tooLarge`. */
  readonly tooIdle?: (() => Error) | undefined;
}

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const colonByte = 58;
const empty = new Uint8Array(0);
const lineBreak = Uint8Array.of(lineFeed);
const dataLength = 4;
const longestEventId = 1024;
// An unfinished line counts with its field name, `data: `.
const fieldNameBytes = 6;

/** Makes a parser for one stream. */
export function createSseParser(init: SseParserInit): SseParser {
  const { onEvent, onNotUtf8, maxEventBytes, maxIdleBytes = maxEventBytes, tooLarge, tooIdle = tooLarge } = init;
  const lines = createLineSplitter(maxEventBytes + fieldNameBytes, tooLarge, init.isContinued);
  // Nearly always there is one line. What joins several holds bytes, because a text for each would
  // take many times the room of a line.
  let data: Uint8Array | undefined;
  let joined: ByteBuffer | undefined;
  let idleBytes = 0;
  let type = "";
  let id: string | undefined;
  let ownId: string | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;

  const idle = (bytes: number): void => {
    idleBytes += bytes;
    if (idleBytes > maxIdleBytes) throw tooIdle();
  };
  const dispatch = (): void => {
    lastEventId = id;
    const bytes = joined === undefined || joined.size() === 0 ? data : joined.take();
    const event = {
      type: type === "" ? "message" : type,
      data: bytes === undefined ? "" : decoder.decode(bytes),
      id: ownId,
    };
    data = undefined;
    type = "";
    ownId = undefined;
    if (event.data === "") return idle(1);
    idleBytes = 0;
    if (onNotUtf8 !== undefined && bytes !== undefined && !isUtf8(bytes, event.data)) onNotUtf8();
    onEvent(event, bytes?.length ?? 0);
  };
  const readData = (line: Uint8Array): void => {
    const value = line.subarray(line[dataLength + 1] === space ? dataLength + 2 : dataLength + 1);
    if (data === undefined) {
      if (value.length > maxEventBytes) throw tooLarge();
      data = value;
      return;
    }
    joined ??= createByteBuffer(maxEventBytes, tooLarge);
    if (joined.size() === 0) joined.push(data);
    joined.push(lineBreak);
    joined.push(value);
  };
  const readLine = (line: Uint8Array): void => {
    if (line.length === 0) return dispatch();
    if (isData(line)) return readData(line);
    idle(line.length + 1);
    const text = decoder.decode(line);
    const colon = text.indexOf(":");
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(text.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    switch (field) {
      case "event":
        type = value;
        return;
      case "id":
        if (value.length <= longestEventId && isHeaderValue(value)) ownId = id = value;
        return;
      case "retry":
        if (/^\d{1,15}$/.test(value)) retryMs = Number(value);
        return;
      default: // A comment, or a field that this version does not know.
    }
  };
  return {
    push(chunk) {
      lines.push(chunk, readLine);
    },
    get lastEventId() {
      return lastEventId;
    },
    get retryMs() {
      return retryMs;
    },
  };
}

// Marks of byte order are dropped only where the format has one: at the very start.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Whether the name of the field is `data`, byte by byte: a text for each line would cost more than
// all the rest.
function isData(line: Uint8Array): boolean {
  const isNamed = line[0] === 100 && line[1] === 97 && line[2] === 116 && line[3] === 97;
  return isNamed && (line.length === dataLength || line[dataLength] === colonByte);
}

interface LineSplitter {
  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): void;
}

/** Cuts bytes at LF, CR LF or CR, and at CR without waiting for the LF that may follow. */
function createLineSplitter(maxLineBytes: number, tooLarge: () => Error, isContinued = false): LineSplitter {
  // Most answers come whole, and need none.
  let unfinished: ByteBuffer | undefined;
  let atStart = !isContinued;
  let skipLineFeed = false;

  // Nothing of the line came before, so that one without bytes is blank. Floods are made of these.
  const isPlain = (): boolean => !atStart && (unfinished === undefined || unfinished.size() === 0);
  const complete = (tail: Uint8Array): Uint8Array => {
    let line = tail;
    if (unfinished !== undefined && unfinished.size() > 0) {
      unfinished.push(tail);
      line = unfinished.take();
    }
    if (!atStart) return line;
    atStart = false;
    return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
  };
  return {
    push(chunk, onLine) {
      let from = skipLineFeed && chunk[0] === lineFeed ? 1 : 0;
      if (chunk.length > 0) skipLineFeed = false;
      const hasReturns = chunk.includes(carriageReturn, from);
      for (;;) {
        const end = hasReturns ? findLineBreak(chunk, from) : chunk.indexOf(lineFeed, from);
        if (end === -1) break;
        onLine(end === from && isPlain() ? empty : complete(chunk.subarray(from, end)));
        from = end + 1;
        if (chunk[end] !== carriageReturn) continue;
        if (chunk[from] === lineFeed) from += 1;
        else skipLineFeed = from === chunk.length;
      }
      if (from === chunk.length) return;
      unfinished ??= createByteBuffer(maxLineBytes, tooLarge);
      unfinished.push(chunk.subarray(from));
    },
  };
}

function findLineBreak(bytes: Uint8Array, from: number): number {
  for (let index = from; index < bytes.length; index += 1) {
    if (bytes[index] === lineFeed || bytes[index] === carriageReturn) return index;
  }
  return -1;
}
