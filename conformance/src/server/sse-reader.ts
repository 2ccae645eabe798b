/** One server-sent event. */
export interface SseEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads a stream of server-sent events (WHATWG HTML, section 9.2), chunk by chunk. */
export function createSseReader(onEvent: (event: SseEvent) => void): { push(chunk: string): void } {
  let rest = "";
  let fields = new Map<string, string>();
  const readLine = (line: string): void => {
    if (line === "") {
      const data = fields.get("data");
      if (data !== undefined) onEvent({ event: fields.get("event") ?? "message", data, id: fields.get("id") });
      fields = new Map();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    const before = name === "data" ? fields.get("data") : undefined;
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  };
  return {
    push(chunk) {
      const lines = `${rest}${chunk}`.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) readLine(line);
    },
  };
}
