/** An event of an event stream, or what is none. */
export type CutEvent =
  | {
      readonly kind: "event";
      readonly id?: string;
      readonly event?: string;
      readonly retry?: string;
      readonly data?: string;
    }
  | { readonly kind: "bytes"; readonly bytes: Buffer };

/** Cuts the bytes of an event stream into events. */
export interface EventCutter {
  push(bytes: Uint8Array): void;
  flush(): void;
}

const longestEvent = 16 * 1024 * 1024;
const ends = ["\n\n", "\r\n\r\n", "\r\r"];

/**
 * Makes one. What would not come back the same when it is written anew, such as a comment, comes as
 * bytes.
 */
export function createEventCutter(onEvent: (event: CutEvent) => void): EventCutter {
  let waiting: Buffer = Buffer.alloc(0);
  const take = (length: number): void => {
    onEvent(readEvent(waiting.subarray(0, length)));
    waiting = waiting.subarray(length);
  };
  return {
    push(bytes) {
      const seen = Math.max(0, waiting.length - 3);
      waiting = Buffer.concat([waiting, bytes]);
      for (let end = endOf(waiting, seen); end !== -1; end = endOf(waiting, 0)) take(end);
      if (waiting.length > longestEvent) this.flush();
    },
    flush() {
      if (waiting.length > 0) onEvent({ kind: "bytes", bytes: waiting });
      waiting = Buffer.alloc(0);
    },
  };
}

function endOf(bytes: Buffer, from: number): number {
  const found = ends.map((end) => [bytes.indexOf(end, from), end.length] as const).filter(([at]) => at !== -1);
  if (found.length === 0) return -1;
  return Math.min(...found.map(([at, length]) => at + length));
}

function readEvent(bytes: Buffer): CutEvent {
  const raw = { kind: "bytes", bytes } as const;
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return raw;
  const fields = new Map<string, string>();
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === "") continue;
    const [, name = "", value = ""] = /^(id|event|retry|data): ?(.*)$/s.exec(line) ?? [];
    const earlier = fields.get(name);
    if (name === "" || (earlier !== undefined && name !== "data")) return raw;
    fields.set(name, earlier === undefined ? value : `${earlier}\n${value}`);
  }
  if (fields.size === 0) return raw;
  return { kind: "event", ...Object.fromEntries(fields) };
}
