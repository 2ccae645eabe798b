import fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { LineSplitter, type OversizedLine } from "./line-splitter.ts";

interface Split {
  readonly lines: string[];
  readonly oversized: { readonly bytes: number; readonly head: string; readonly tail: string }[];
}

function split(chunks: readonly Buffer[], maxLineBytes: number): Split {
  const result: Split = { lines: [], oversized: [] };
  const splitter = new LineSplitter({
    maxLineBytes,
    onLine: (bytes, start, end) => result.lines.push(bytes.toString("latin1", start, end)),
    onOversized: ({ bytes, head, tail }) =>
      result.oversized.push({ bytes, head: head.toString("latin1"), tail: tail.toString("latin1") }),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return result;
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);
}

/** What `split` should give, said in the plainest way. */
function expected(bytes: Buffer, maxLineBytes: number): Split {
  const pieces = bytes.toString("latin1").split("\n");
  if (pieces.at(-1) === "") pieces.pop();
  return {
    lines: pieces.filter((piece) => piece.length <= maxLineBytes),
    oversized: pieces
      .filter((piece) => piece.length > maxLineBytes)
      .map((piece) => ({ bytes: piece.length, head: piece.slice(0, 1024), tail: piece.slice(-1024) })),
  };
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let rest = bytes;
  for (let index = 0; rest.length > 0; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return chunks;
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function usedMemory(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

// Few different bytes, many of them line feeds, so that lines of all lengths around the limit
// occur.
const stream = fc
  .array(fc.constantFrom(0x0a, 0x61, 0x62, 0xc3, 0xa4), { maxLength: 400 })
  .map((bytes) => Buffer.from(bytes));
const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 10 });

describe("LineSplitter", () => {
  it("gives the same lines however a stream of bytes is cut, for any limit", () => {
    fc.assert(
      fc.property(stream, sizes, fc.integer({ min: 1, max: 60 }), (bytes, chunkSizes, limit) => {
        expect(split(cut(bytes, chunkSizes), limit)).toEqual(expected(bytes, limit));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps both ends of a line that is too long, also when they come in pieces", () => {
    const line = Buffer.from(Array.from({ length: 5000 }, (_, index) => `${index};`).join(""));
    for (const size of [1, 7, 1000, 100_000]) {
      expect(split(cut(Buffer.concat([line, Buffer.from("\nnext")]), [size]), 100)).toEqual({
        lines: ["next"],
        oversized: [
          { bytes: line.length, head: line.toString("latin1", 0, 1024), tail: line.subarray(-1024).toString("latin1") },
        ],
      });
    }
  });

  it("keeps a line of JSON if it has no more values than allowed, however it is cut", () => {
    const json = fc.json({ depthSize: "large" });
    fc.assert(
      fc.property(json, sizes, fc.integer({ min: 1, max: 8 }), (line, chunkSizes, most) => {
        const kept: string[] = [];
        const dropped: OversizedLine[] = [];
        const splitter = new LineSplitter({
          maxLineBytes: 1e6,
          maxLineValues: most,
          onLine: (bytes, start, end) => kept.push(bytes.toString("utf8", start, end)),
          onOversized: (oversized) => dropped.push(oversized),
        });
        for (const chunk of cut(Buffer.from(`${line}\nnext\n`), chunkSizes)) splitter.push(chunk);
        const values = /^[{[]/.test(line) ? countValues(JSON.parse(line)) : 0;
        expect(dropped.map((oversized) => oversized.values)).toEqual(values > most ? [values] : []);
        expect(kept).toEqual(values > most ? ["next"] : [line, "next"]);
      }),
      { numRuns: 500 },
    );
  });

  it("tells of a line with too many values at once when it is also too long", () => {
    const reported: string[] = [];
    const dropped: (number | undefined)[] = [];
    const splitter = new LineSplitter({
      maxLineBytes: 100,
      maxLineValues: 10,
      onLine: () => {},
      onTooLong: (head) => reported.push(head.toString("latin1", 0, 4)),
      onOversized: ({ values }) => dropped.push(values),
    });
    splitter.push(Buffer.from(`[${"1,".repeat(30)}`));
    expect(reported).toEqual([]);
    splitter.push(Buffer.from("1,".repeat(30)));
    expect(reported).toEqual(["[1,1"]);
    splitter.push(Buffer.from("1]\n"));
    expect(dropped).toEqual([undefined]);
  });

  it("says how much of an unfinished line was dropped", () => {
    const splitter = new LineSplitter({ maxLineBytes: 10, onLine: () => {}, onOversized: () => {} });
    splitter.push(Buffer.from("0123456789"));
    expect(splitter.droppedBytes).toBe(0);
    splitter.push(Buffer.from("0"));
    expect(splitter.droppedBytes).toBe(11);
    splitter.push(Buffer.from("\n"));
    expect(splitter.droppedBytes).toBe(0);
  });

  it.each([
    ["in large chunks", 64 * 1024, 4000],
    ["byte by byte", 1, 300_000],
  ])("holds no more than its limit of an endless line that comes %s", (_, chunkBytes, count) => {
    const limit = 100_000;
    const splitter = new LineSplitter({ maxLineBytes: limit, onLine: () => {}, onOversized: () => {} });
    const chunk = Buffer.alloc(chunkBytes, "x");
    const before = usedMemory();
    for (let index = 0; index < count; index += 1) splitter.push(chunk);
    expect(usedMemory() - before).toBeLessThan(10 * limit);
    expect(splitter.droppedBytes).toBe(chunkBytes * count);
  });
});
