import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createManualClock } from "../../test/manual-clock.ts";
import { readInSlices } from "./read-in-slices.ts";

function open() {
  const clock = createManualClock();
  const stream = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const received: Buffer[] = [];
  const pipe = readInSlices(stream, clock, (bytes) => {
    received.push(Buffer.from(bytes));
    // As long as handling a slice takes.
    clock.advance(0.6);
  });
  const total = (): number => received.reduce((sum, bytes) => sum + bytes.length, 0);
  return { stream, pipe, received, total };
}

describe("readInSlices()", () => {
  it("hands on what comes in small pieces as it comes", async () => {
    const { stream, received } = open();
    stream.push("one");
    stream.push("two");
    await nextTurn();
    expect(received.map(String).join("")).toBe("onetwo");
  });

  it("gives the others a turn after about a millisecond of a flood, and keeps the order", async () => {
    const { stream, pipe, received, total } = open();
    const flood = Buffer.from(Array.from({ length: 256 * 1024 }, (_, index) => index % 251));
    for (let start = 0; start < flood.length; start += 65_536) stream.push(flood.subarray(start, start + 65_536));
    stream.push(null);
    let turns = 0;
    for (let before = 0; total() < flood.length; before = total()) {
      await nextTurn();
      turns += 1;
      expect(total() - before).toBeLessThanOrEqual(2 * 2 * 8192);
    }
    expect(received.length).toBe(flood.length / 8192);
    expect(turns).toBeGreaterThanOrEqual(8);
    expect(Buffer.concat(received).equals(flood)).toBe(true);
    expect(pipe.bytesRead).toBe(flood.length);
    await nextTurn();
    expect(pipe.readableEnded).toBe(true);
  });

  it("hands on all that arrived when it is told to", async () => {
    const { stream, pipe, total } = open();
    stream.push(Buffer.alloc(65_536));
    await new Promise((resolve) => stream.once("data", resolve));
    expect(total()).toBeLessThan(65_536);
    pipe.flush();
    expect(total()).toBe(65_536);
  });
});
