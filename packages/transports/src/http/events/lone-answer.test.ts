import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser, type SseEvent } from "./sse-parser.ts";
import { readLoneAnswer } from "./lone-answer.ts";

const answer = '{"jsonrpc":"2.0","id":7,"result":{"text":"größe"}}';
const limit = 10_000;
const read = (text: string | Uint8Array, maxMessageBytes = limit) =>
  readLoneAnswer(typeof text === "string" ? Buffer.from(text) : text, 7, { maxMessageBytes, maxMessageValues: 100 });

describe("readLoneAnswer()", () => {
  it.each([
    ["data alone", `data: ${answer}\n\n`],
    ["its type before it", `event: message\ndata: ${answer}\n\n`],
    ["an id", `id: größe\ndata: ${answer}\n\n`],
    ["an id and its type", `id: 1\nevent: message\ndata: ${answer}\n\n`],
    ["CR LF at the end of lines", `event: message\r\nid: 1\r\ndata: ${answer}\r\n\r\n`],
  ])("reads an answer with %s, and how large its data is", (_what, text) => {
    expect(read(text)).toEqual({ message: JSON.parse(answer), bytes: Buffer.byteLength(answer) });
  });

  it.each([
    ["is not whole", `data: ${answer}\n`],
    ["has more behind it", `data: ${answer}\n\n: bye\n\n`],
    ["has a blank line more", `data: ${answer}\n\n\n`],
    ["has two lines of data", `data: ${answer.slice(0, 1)}\ndata: ${answer.slice(1)}\n\n`],
    ["has a CR in it", `data: ${answer.replace(",", ",\r")}\n\n`],
    ["has a CR in its id", `id: 1\rdata: {}\ndata: ${answer}\n\n`],
    ["has another type", `event: endpoint\ndata: ${answer}\n\n`],
    ["comes after a comment", `: hello\ndata: ${answer}\n\n`],
    ["says when to come back", `retry: 10\ndata: ${answer}\n\n`],
    ["comes after a mark of byte order", `\uFEFFdata: ${answer}\n\n`],
    ["has its type behind it", `data: ${answer}\nevent: message\n\n`],
    ["is a blank line", "\n"],
    ["is empty", ""],
    ["is no JSON", "data: {\n\n"],
    ["is no object", "data: 7\n\n"],
    ["is a batch", `data: [${answer}]\n\n`],
    ["answers another request", `data: ${answer.replace("7", "8")}\n\n`],
    ["has its id as text", `data: ${answer.replace("7", '"7"')}\n\n`],
    ["has no id", 'data: {"jsonrpc":"2.0","result":{}}\n\n'],
    ["is a request", 'data: {"jsonrpc":"2.0","id":7,"method":"ping"}\n\n'],
    ["is a request in disguise", String.raw`data: {"jsonrpc":"2.0","id":7,"m\u0065thod":"ping"}` + "\n\n"],
    ["is nested too deeply", `data: {"id":7,"result":${"[".repeat(600)}${"]".repeat(600)}}\n\n`],
    ["has a U+FFFD in it", `data: ${answer.replace("ö", "\uFFFD")}\n\n`],
    ["is no UTF-8", Buffer.from(`data: ${answer}\n\n`, "latin1")],
  ])("leaves what %s to a parser", (_what, text) => {
    expect(read(text)).toBeUndefined();
  });

  it("takes data of exactly the limit, and leaves one byte more to a parser", () => {
    const bytes = Buffer.byteLength(answer);
    expect([read(`data: ${answer}\n\n`, bytes)?.bytes, read(`data: ${answer}\n\n`, bytes - 1)]).toEqual([
      bytes,
      undefined,
    ]);
  });

  it("reads nothing but what a parser finds, and what it finds alone", () => {
    const ends = fc.constantFrom("\n", "\r\n", "\r", "");
    const pieces = fc.constantFrom(
      `data: ${answer}`,
      "data: 1",
      "event: message",
      "event: x",
      "id: 1",
      ": c",
      "",
      "\r",
    );
    const streams = fc.array(fc.tuple(pieces, ends), { maxLength: 6 });
    let found = 0;
    fc.assert(
      fc.property(streams, (lines) => {
        const text = lines.flat().join("");
        const lone = read(text);
        if (lone === undefined) return;
        found += 1;
        const events: SseEvent[] = [];
        let bytes = 0;
        const parser = createSseParser({
          maxEventBytes: limit,
          tooLarge: () => new RangeError("too large"),
          onEvent(event, length) {
            events.push(event);
            bytes = length;
          },
        });
        parser.push(Buffer.from(text));
        expect(events).toMatchObject([{ type: "message", data: answer }]);
        expect(lone).toEqual({ message: JSON.parse(answer), bytes });
        // And it was at the end of an event.
        parser.push(Buffer.from("data: 2\n\n"));
        expect(events).toHaveLength(2);
      }),
      { numRuns: 5000 },
    );
    expect(found).toBeGreaterThan(0);
  });
});
