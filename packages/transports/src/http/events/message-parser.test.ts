import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MessageParser } from "./message-parser.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const heapMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1e6;
};

describe("MessageParser", () => {
  it("skips a batch of more than a thousand messages, and goes on", () => {
    const batch = (count: number): string => `[${Array.from({ length: count }, () => "{}").join(",")}]`;
    const { messages, anomalies } = parse(`data: ${batch(1001)}\n\n`, `data: ${batch(1000)}\n\n`);
    expect(messages).toMatchObject([{ length: 1000 }]);
    expect(anomalies).toEqual([["an event that is a batch of more than 1000 messages", undefined]]);
  });

  it("reads what is no UTF-8, and tells of it", () => {
    const { messages, anomalies } = parse(Buffer.from('data: "gr\u00FCezi"\n\n', "latin1"));
    expect(messages).toEqual(["gr\uFFFDezi"]);
    expect(anomalies).toEqual([["an event with U+FFFD, which may stand for broken UTF-8", "it is read"]]);
  });

  it("keeps the latest id that a header can carry, and retry", () => {
    const { parser } = parse("id: 1\nretry: 500\ndata: 1\n\n", "id: ü\ndata: 2\n\nretry: soon\n\n");
    expect([parser.lastEventId, parser.retryMs]).toEqual(["1", 500]);
    parser.push(Buffer.from("id: 2\ndata:\n\n"));
    expect(parser.lastEventId).toBe("2");
  });

  it("reads a character whose bytes come in two pieces, and a mark of byte order at the start alone", () => {
    const bytes = Buffer.from('\uFEFFdata: "größe 日本"\n\n');
    for (let cut = 0; cut < bytes.length; cut += 1)
      expect(parse(bytes.subarray(0, cut), bytes.subarray(cut)).messages).toEqual(["größe 日本"]);
  });

  it("reads a message that comes two bytes at a time, and holds little more than its bytes", () => {
    const bytes = Buffer.from(`data: "größe ${"x".repeat(950_000)}"\n\n`);
    const { parser, messages } = parse();
    const before = heapMb();
    for (let at = 0; at < bytes.length - 2; at += 2)
      parser.push(bytes.subarray(at, Math.min(at + 2, bytes.length - 2)));
    expect(heapMb() - before).toBeLessThan(10);
    parser.push(bytes.subarray(-2));
    expect(messages).toEqual([`größe ${"x".repeat(950_000)}`]);
  });

  it("takes data of exactly the limit, and throws at one byte more", () => {
    const ofBytes = (count: number): string => `data: ["${"x".repeat(count - 4)}"]\n\n`;
    expect(parse(ofBytes(1_000_000)).messages).toHaveLength(1);
    expect(() => parse(ofBytes(1_000_001))).toThrow("more than 1000000 bytes");
    expect(() => parse(`data: ["${"ü".repeat(500_000)}"]\n\n`)).toThrow("more than 1000000 bytes");
  });

  it.each(["data: ", ": comment ", "x", "data: x\ndata: "])("throws when %j is followed by no end", (start) => {
    const { parser } = parse(start);
    let pushed = 0;
    expect(() => {
      for (; pushed < 5_000_000; pushed += 1000) parser.push(Buffer.alloc(1000, "x"));
    }).toThrow("more than");
    expect(pushed).toBeLessThan(2_100_000);
  });

  it.each([
    ["comments", ": still here\n"],
    ["blank lines", "\n"],
    ["blank lines of another kind", "\r\n"],
    ["names of events that never come", "event: x\n"],
    ["fields that nobody knows", "x: y\n"],
    ["events of another type", "event: x\ndata: y\n\n"],
    ["events without data", "data:\n\n"],
  ])("throws when a stream brings %s and no message", (_name, text) => {
    const { parser } = parse();
    const chunk = Buffer.from(text.repeat(1000));
    let pushed = 0;
    expect(() => {
      for (; pushed < 5_000_000; pushed += chunk.length) parser.push(chunk);
    }).toThrow("without a message");
    expect(pushed).toBeLessThan(2_100_000);
  });

  it("takes any number of comments and blank lines between events", () => {
    const between = ": still here\n\n".repeat(30_000);
    const { messages } = parse(...Array.from({ length: 10 }, () => `${between}data: {}\n\n`));
    expect(messages).toHaveLength(10);
  });
});

function parse(...chunks: readonly (string | Uint8Array)[]) {
  const messages: unknown[] = [];
  const anomalies: unknown[] = [];
  const parser = new MessageParser({
    reading: {
      limits: { maxMessageBytes: 1_000_000, maxMessageValues: 100_000 },
      sink: { deliver: () => expect.unreachable(), onAnomaly: (what, fate) => anomalies.push([what, fate]) },
      endpoint: {
        serverId: "web",
        url: new URL("http://127.0.0.1:1"),
        redact: (text) => text,
        call: () => expect.unreachable(),
        toError: () => expect.unreachable(),
        close: () => undefined,
      },
    },
    onJson: (json) => messages.push(json),
  });
  for (const chunk of chunks) parser.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  return { messages, anomalies, parser };
}
