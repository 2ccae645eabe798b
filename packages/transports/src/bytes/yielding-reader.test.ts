import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { YieldingReader } from "./yielding-reader.ts";

function open(countKept?: (bytes: Buffer) => number) {
  const clock = useManualClock();
  const source = new Readable({ read: () => undefined, highWaterMark: 1024 * 1024 });
  const received: Buffer[] = [];
  let caughtUp = 0;
  const turns = new YieldingReader<Buffer>({
    source,
    countKept,
    onBytes(bytes) {
      received.push(Buffer.from(bytes));
      // As long as handling a slice takes.
      clock.advance(0.06);
    },
    onCaughtUp: () => void (caughtUp += 1),
  });
  source.on("data", (chunk: Buffer) => turns.take(chunk));
  const total = (): number => received.reduce((sum, bytes) => sum + bytes.length, 0);
  return { source, turns, clock, received, total, caughtUp: () => caughtUp };
}

/** The most bytes that are handed on in one turn, until `bytes` are. */
async function mostInOneTurn(total: () => number, bytes: number): Promise<number> {
  let most = 0;
  for (let before = total(); before < bytes; before = total()) {
    await nextTurn();
    most = Math.max(most, total() - before);
  }
  return most;
}

const flood = Buffer.from(Array.from({ length: 256 * 1024 }, (_, index) => index % 251));

describe("handOnInTurns()", () => {
  it("hands on what comes in small pieces as it comes", async () => {
    const { source, received, turns } = open();
    source.push("one");
    source.push("two");
    await nextTurn();
    expect(received.map(String).join("")).toBe("onetwo");
    expect(turns.isBehind).toBe(false);
  });

  it("gives the others a turn after about a tenth of a millisecond of a flood, and keeps the order", async () => {
    const { source, turns, received, total, caughtUp } = open();
    for (let start = 0; start < flood.length; start += 65_536) source.push(flood.subarray(start, start + 65_536));
    expect(await mostInOneTurn(total, flood.length)).toBeLessThanOrEqual(2 * 2 * 1024);
    expect(Buffer.concat(received).equals(flood)).toBe(true);
    expect(turns.handedOn).toBe(flood.length);
    await nextTurn();
    expect([turns.isBehind, caughtUp() > 0]).toEqual([false, true]);
  });

  it("does so for a flood of small pieces, too", async () => {
    const { source, received, total } = open();
    for (let start = 0; start < flood.length; start += 1024) source.push(flood.subarray(start, start + 1024));
    expect(await mostInOneTurn(total, flood.length)).toBeLessThanOrEqual(2 * 32 * 1024);
    expect(Buffer.concat(received).equals(flood)).toBe(true);
  });

  it("hands on in one piece what is only kept, with a little more in the same turn, and not a flood of it", async () => {
    const { source, received, turns, total } = open((bytes) =>
      bytes.includes("\n") ? bytes.indexOf("\n") : bytes.length,
    );
    source.push(Buffer.alloc(65_536, "x"));
    source.push("end\n");
    await new Promise((resolve) => source.once("data", resolve));
    await Promise.resolve();
    expect([received.map(({ length }) => length), turns.isBehind]).toEqual([[65_536, 4], false]);
    const endless = 64;
    for (let count = 0; count < endless; count += 1) source.push(Buffer.alloc(65_536, "x"));
    expect(await mostInOneTurn(total, endless * 65_536)).toBeLessThanOrEqual(2 * 4 * 65_536);
  });

  it("cuts what comes behind the kept bytes as before", async () => {
    const { source, received, total } = open((bytes) => bytes.indexOf("\n"));
    source.push(Buffer.concat([Buffer.alloc(20_000, "x"), Buffer.alloc(10_000, "\n")]));
    for (let before = 0; before < 30_000; before = total()) await nextTurn();
    expect(received.map(({ length }) => length)).toEqual([20_000, ...Array<number>(9).fill(1024), 784]);
  });

  it("hands on all that arrived when it is told to", async () => {
    const { source, turns, total } = open();
    source.push(Buffer.alloc(65_536));
    await new Promise((resolve) => source.once("data", resolve));
    expect(total()).toBeLessThan(65_536);
    turns.flush();
    expect(total()).toBe(65_536);
  });

  it("hands on nothing after it was told to drop the rest", async () => {
    const { source, turns, total } = open();
    turns.take(flood.subarray(0, 65_536));
    turns.drop();
    const before = total();
    source.push("more");
    await nextTurn();
    await nextTurn();
    turns.flush();
    expect([total(), turns.isBehind]).toEqual([before, false]);
  });
});
