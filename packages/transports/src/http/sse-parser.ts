import { createByteBuffer, type ByteBuffer } from "./byte-buffer.ts";
import { isHeaderValue } from "./header-rules.ts";

/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** `"message"` unless the server named it. */
  readonly type: string;
  readonly data: string;
}

/** Reads a `text/event-stream` as the WHATWG describes it, from bytes cut anywhere. */
export interface SseParser {
  /** Takes the next bytes. Throws what `tooLarge` returns, or what `onEvent` throws; the parser is of no use afterwards. */
  push(chunk: Uint8Array): void;
  /** The latest event id; what `Last-Event-ID` should say. Ids that no header can carry are ignored. */
  readonly lastEventId: string | undefined;
  /** The latest `retry:`, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** What an {@linkcode SseParser} is made from. */
export interface SseParserInit {
  /** Called for each event that has data, in the middle of `push`. */
  readonly onEvent: (event: SseEvent) => void;
  /** Bytes that one event may take while it is incomplete, comments aside. */
  readonly maxEventBytes: number;
  readonly tooLarge: () => Error;
}

const lineFeed = 10;
const carriageReturn = 13;
const longestEventId = 1024;
// An unfinished line counts with its field name, `data: `.
const fieldNameBytes = 6;

/** Makes a parser for one stream. */
export function createSseParser({ onEvent, maxEventBytes, tooLarge }: SseParserInit): SseParser {
  const lines = createLineSplitter(maxEventBytes + fieldNameBytes, tooLarge);
  let data: string[] = [];
  let dataBytes = 0;
  let type = "";
  let id: string | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;

  const dispatch = (): void => {
    lastEventId = id;
    const event = { type: type === "" ? "message" : type, data: data.join("\n") };
    data = [];
    dataBytes = 0;
    type = "";
    if (event.data !== "") onEvent(event);
  };
  const readLine = (line: Uint8Array): void => {
    if (line.length === 0) return dispatch();
    const text = decoder.decode(line);
    const colon = text.indexOf(":");
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(text.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    switch (field) {
      case "data":
        // One more for the line break; it also bounds a run of empty lines.
        dataBytes += Math.max(0, line.length - fieldNameBytes) + 1;
        if (dataBytes - 1 > maxEventBytes) throw tooLarge();
        data.push(value);
        return;
      case "event":
        type = value;
        return;
      case "id":
        if (value.length <= longestEventId && isHeaderValue(value)) id = value;
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

interface LineSplitter {
  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): void;
}

/** Cuts bytes at LF, CR LF or CR, and at CR without waiting for the LF that may follow. */
function createLineSplitter(maxLineBytes: number, tooLarge: () => Error): LineSplitter {
  // Most answers come whole, and need none.
  let unfinished: ByteBuffer | undefined;
  let atStart = true;
  let skipLineFeed = false;

  const complete = (tail: Uint8Array): Uint8Array => {
    let line = tail;
    if (unfinished !== undefined && unfinished.length > 0) {
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
        onLine(complete(chunk.subarray(from, end)));
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
