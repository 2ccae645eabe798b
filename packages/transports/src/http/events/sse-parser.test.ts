import fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createSseParser, type SseEvent } from "./sse-parser.ts";

const tooLarge = (): Error => new RangeError("too large");

function parse(chunks: readonly (string | Uint8Array)[], maxEventBytes = 1000) {
  const events: SseEvent[] = [];
  const parser = createSseParser({
    onEvent: (event) => events.push(event),
    maxEventBytes,
    maxIdleBytes: 1_000_000,
    tooLarge,
    tooIdle: () => new RangeError("too idle"),
  });
  for (const chunk of chunks) parser.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return { events, parser };
}

const message = (data: string): SseEvent => ({ type: "message", data });

describe("createSseParser()", () => {
  it.each<[name: string, stream: string, events: readonly SseEvent[]]>([
    ["one event", "data: a\n\n", [message("a")]],
    ["no space after the colon", "data:a\n\n", [message("a")]],
    ["one space only is dropped", "data:  a\n\n", [message(" a")]],
    ["several lines of data", "data: a\ndata: b\n\n", [message("a\nb")]],
    ["a named event", "event: endpoint\ndata: /x\n\n", [{ type: "endpoint", data: "/x" }]],
    [
      "a name that lasts for one event only",
      "event: x\ndata: 1\n\ndata: 2\n\n",
      [{ type: "x", data: "1" }, message("2")],
    ],
    ["CR LF", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
    ["CR alone", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["mixed breaks", "data: a\r\ndata: b\r\n\ndata: c\n\r\n", [message("a\nb"), message("c")]],
    ["comments", ": hello\n:\ndata: a\n: in between\n\n", [message("a")]],
    ["unknown fields", "foo: bar\ndata: a\nbaz\n\n", [message("a")]],
    ["no data, no event", "event: x\n\nid: 1\n\ndata:\n\n\n\n", []],
    ["an event that the stream cuts off", "data: a\n\ndata: b\n", [message("a")]],
    ["a mark of byte order at the start", "\uFEFFdata: a\n\n", [message("a")]],
    ["a mark of byte order elsewhere", "data: \uFEFFa\n\n\uFEFFdata: b\n\n", [message("\uFEFFa")]],
    ["characters of many bytes", "data: größe 日本 🧰\n\n", [message("größe 日本 🧰")]],
    ["colons in data", 'data: {"a":1}\n\n', [message('{"a":1}')]],
  ])("reads %s", (_name, stream, events) => expect(parse([stream]).events).toEqual(events));

  it("reads the same from any cut of the same bytes", () => {
    const line = fc.constantFrom(
      "data: ü日🧰",
      "data:x",
      "event: e",
      "id: 7",
      "retry: 9",
      ": c",
      "",
      "",
      "\uFEFF",
      "data",
    );
    const streams = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 });
    fc.assert(
      fc.property(streams, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([text, end]) => text + end).join(""));
        const pieces: Uint8Array[] = [];
        for (let from = 0; from < bytes.length;) {
          const size = sizes.next().value ?? 1;
          pieces.push(bytes.subarray(from, from + size));
          from += size;
        }
        const whole = parse([bytes]);
        const cut = parse(pieces);
        expect(cut.events).toEqual(whole.events);
        expect(cut.parser.lastEventId).toBe(whole.parser.lastEventId);
        expect(cut.parser.retryMs).toBe(whole.parser.retryMs);
      }),
    );
  });

  it("drops a mark of byte order at the beginning of a stream, and nowhere else", () => {
    const read = (isContinued: boolean): readonly SseEvent[] => {
      const events: SseEvent[] = [];
      const parser = createSseParser({
        isContinued,
        onEvent: (event) => events.push(event),
        maxEventBytes: 100,
        tooLarge,
      });
      parser.push(Buffer.from("\uFEFFdata: a\n\ndata: b\n\n"));
      return events;
    };
    expect([read(false), read(true)]).toMatchObject([[message("a"), message("b")], [message("b")]]);
  });

  it("does not wait for the LF that may follow a CR", () => {
    const { events, parser } = parse(["data: a\r\n\r"]);
    expect(events).toEqual([message("a")]);
    parser.push(Buffer.from("\ndata: b\r\r"));
    expect(events).toEqual([message("a"), message("b")]);
  });

  it("keeps the latest id and retry, from the end of their event on", () => {
    const { parser } = parse(["id: 1\nretry: 500\ndata: x\n\nid: 2\n"]);
    expect([parser.lastEventId, parser.retryMs]).toEqual(["1", 500]);
    parser.push(Buffer.from("\ndata: y\n\nretry: soon\nretry: -1\nretry: 1e3\n\n"));
    expect([parser.lastEventId, parser.retryMs]).toEqual(["2", 500]);
  });

  it.each(["ü", "a\u0000b", "x".repeat(1025)])("ignores an id that no header can carry (%#)", (id) => {
    expect(parse([`id: 1\n\nid: ${id}\ndata: x\n\n`]).parser.lastEventId).toBe("1");
  });
});

describe("createSseParser() within its limit", () => {
  it("takes data of exactly the limit, and throws at one byte more", () => {
    expect(parse([`data: ${"x".repeat(50)}\n\n`], 50).events).toHaveLength(1);
    expect(() => parse([`data: ${"x".repeat(51)}\n\n`], 50)).toThrow("too large");
  });

  it("counts bytes, not characters", () => {
    expect(() => parse([`data: ${"ü".repeat(26)}\n\n`], 50)).toThrow("too large");
  });

  it("counts all lines of one event, but each event anew", () => {
    expect(parse(["data: aaaa\n\n".repeat(1000)], 5).events).toHaveLength(1000);
    expect(() => parse(["data: aaaa\n".repeat(20)], 50)).toThrow("too large");
  });

  it.each(["data\n", "data:\n"])("bounds an endless run of %j, which adds a line break each", (line) => {
    expect(() => parse([line.repeat(52)], 50)).toThrow("too large");
  });

  it.each(["data: ", ": comment ", "x"])("throws when a line that starts with %j never ends", (start) => {
    const { parser } = parse([start], 1000);
    let pushed = 0;
    expect(() => {
      for (; pushed < 10_000; pushed += 10) parser.push(Buffer.alloc(10, "x"));
    }).toThrow("too large");
    expect(pushed).toBeLessThan(1020);
  });

  it("reads 200,000 line breaks of each kind in time that grows with them alone", () => {
    // Quadratic work on this would take minutes.
    for (const lineBreak of ["\r", "\n", "\r\n"]) expect(parse([lineBreak.repeat(200_000)]).events).toEqual([]);
  });

  it.each([
    ["comments", ": still here\n"],
    ["comments and blank lines", ": still here\n\n"],
    ["blank lines", "\n"],
    ["blank lines of another kind", "\r\n"],
    ["names of events that never come", "event: x\n"],
    ["ids", "id: 7\n\n"],
    ["events without data", "event: x\ndata\n\n"],
    ["fields that nobody knows", "x: y\n"],
  ])("throws when a stream brings %s and no event", (_name, text) => {
    const { parser } = parse([]);
    const chunk = Buffer.from(text.repeat(10_000));
    let pushed = 0;
    expect(() => {
      for (; pushed < 5_000_000; pushed += chunk.length) parser.push(chunk);
    }).toThrow("too idle");
    expect(pushed).toBeGreaterThan(300_000);
  });

  it("takes any number of comments and blank lines between events", () => {
    const between = ": still here\n\n".repeat(30_000);
    const { events } = parse(Array.from({ length: 10 }, () => `${between}data: x\n\n`));
    expect(events).toHaveLength(10);
  });

  it("holds no more of an event in tiny lines than of one in a single line", () => {
    const collect = exposeGarbageCollector();
    const { parser } = parse([], 8_000_000);
    const lines = Buffer.from("data:x\n".repeat(100_000));
    collect();
    const before = process.memoryUsage();
    for (let n = 0; n < 39; n += 1) parser.push(lines);
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    expect(heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers).toBeLessThan(24_000_000);
    parser.push(Buffer.from("\n"));
  });
});

function exposeGarbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
