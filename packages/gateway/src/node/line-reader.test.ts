import { expect, it } from "vitest";
import { createLineReader } from "./line-reader.ts";

function readLines(maxBytes = 100) {
  const heard: string[] = [];
  const reader = createLineReader(maxBytes, {
    onLine: (line) => heard.push(line),
    onTooLong: () => heard.push("(too long)"),
    onNoText: () => heard.push("(no text)"),
  });
  return { heard, reader };
}

it("takes lines out of pieces, and the last one without its end when no more come", () => {
  const { heard, reader } = readLines();
  for (const piece of ["o", "ne\ntwo\n\n", "\r\nth", "ree\nfo", "ur"]) reader.take(Buffer.from(piece));
  expect(heard).toEqual(["one", "two", "three"]);
  reader.end();
  expect(heard.at(-1)).toBe("four");
  reader.end();
  expect(heard).toHaveLength(4);
});

it("keeps no piece of a line, but a copy", () => {
  const { heard, reader } = readLines();
  const piece = Buffer.alloc(1);
  for (const byte of Buffer.from("täglich\n")) {
    piece[0] = byte;
    reader.take(piece);
  }
  expect(heard).toEqual(["täglich"]);
});

it.each(["in one piece", "in several"])("says of a line that is too long %s that it is, once", (how) => {
  const { heard, reader } = readLines(4);
  const text = "12345\n1234\n12345678901";
  for (const piece of how === "in several" ? text : [text]) reader.take(Buffer.from(piece));
  expect(heard).toEqual(["(too long)", "1234"]);
  reader.end();
  expect(heard).toEqual(["(too long)", "1234", "(too long)"]);
});

it("says of a line that is no UTF-8 that it is none, also where a character is cut off, and reads on", () => {
  const { heard, reader } = readLines();
  reader.take(Buffer.from([0x61, 0xff, 0x0a, 0xe2, 0x82, 0x0a, 0x62, 0x0a]));
  expect(heard).toEqual(["(no text)", "(no text)", "b"]);
});
