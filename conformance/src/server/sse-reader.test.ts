import { describe, expect, it } from "vitest";
import { createSseReader, type SseEvent } from "./sse-reader.ts";

function read(...chunks: readonly string[]): readonly SseEvent[] {
  const events: SseEvent[] = [];
  const reader = createSseReader((event) => events.push(event));
  for (const chunk of chunks) reader.push(chunk);
  return events;
}

describe("createSseReader()", () => {
  it.each<[string, readonly string[]]>([
    ["in one piece", ["event: message\nid: 1\ndata: {}\n\n"]],
    ["with carriage returns", ["event: message\r\nid: 1\r\ndata: {}\r\n\r\n"]],
    ["character by character", "event: message\r\nid: 1\r\ndata: {}\r\n\r\n".split("")],
    ["with comments and unknown fields", [": hello\nretry: 5\nfoo\nid:1\ndata:{}\n\n"]],
  ])("reads an event %s", (_, chunks) => {
    expect(read(...chunks)).toEqual([{ event: "message", data: "{}", id: "1" }]);
  });

  it("joins the lines of data, keeps empty data, and leaves out events without any", () => {
    expect(read("data: a\ndata: b\n\ndata:\n\nid: 7\n\n").map(({ data }) => data)).toEqual(["a\nb", ""]);
  });
});
