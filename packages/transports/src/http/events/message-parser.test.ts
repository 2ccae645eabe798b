import { systemClock } from "@hostside/core/implement";
import { describe, expect, it } from "vitest";
import { createMessageParser } from "./message-parser.ts";

describe("createMessageParser()", () => {
  it("skips a batch of more than a thousand messages unread, and goes on", () => {
    const batch = (count: number): string => `[${Array.from({ length: count }, () => "{}").join(",")}]`;
    // No JSON at its end, which a parser would have come to.
    const { messages, anomalies } = parse(`data: ${batch(1001).slice(0, -1)}!\n\n`, `data: ${batch(1000)}\n\n`);
    expect(messages).toMatchObject([{ length: 1000 }]);
    expect(anomalies).toEqual([["an event that is a batch of more than 1000 messages", undefined]]);
  });

  it("reads what is no UTF-8, and tells of it; a U+FFFD of the server's own is none of it", () => {
    const { messages, anomalies } = parse('data: "\uFFFD"\n\n', Buffer.from('data: "gr\u00FCezi"\n\n', "latin1"));
    expect(messages).toEqual(["\uFFFD", "gr\uFFFDezi"]);
    expect(anomalies).toEqual([["an event that is not valid UTF-8", "its broken bytes are read as U+FFFD"]]);
  });
});

function parse(...chunks: readonly (string | Uint8Array)[]) {
  const messages: unknown[] = [];
  const anomalies: unknown[] = [];
  const parser = createMessageParser({
    reading: {
      limits: { maxMessageBytes: 1_000_000, maxMessageValues: 100_000 },
      random: () => 0,
      sink: { deliver: () => expect.unreachable(), onAnomaly: (what, fate) => anomalies.push([what, fate]) },
      endpoint: {
        serverId: "web",
        url: new URL("http://127.0.0.1:1"),
        clock: systemClock,
        redact: (text) => text,
        call: () => expect.unreachable(),
        toError: () => expect.unreachable(),
        close: () => undefined,
      },
    },
    onJson: (json) => messages.push(json),
  });
  for (const chunk of chunks) parser.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  return { messages, anomalies };
}
