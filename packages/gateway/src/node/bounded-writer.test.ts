import { Writable } from "node:stream";
import { expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { createBoundedWriter } from "./bounded-writer.ts";

/** A stream whose reader takes what it is given when the test says so. */
function writeTo(highWaterMark = 10) {
  const clock = useManualClock();
  const taken: string[] = [];
  const gone: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      waiting.push(done);
    },
  });
  const limits = { maxBufferedBytes: 100, slowReaderMs: 1000 };
  const writer = createBoundedWriter(stream, { ...limits, onGone: (reason) => gone.push(reason) });
  return { clock, taken, gone, writer, stream, read: () => waiting.shift()?.() };
}

it("keeps what is needed for a reader that does not read, leaves out what is spare, and gives it up beyond the limit", () => {
  const { writer, gone, stream } = writeTo();
  expect(writer.write("x".repeat(30), "needed")).toBe(true);
  expect(writer.write("y", "spare")).toBe(false);
  expect(writer.isCrowded).toBe(false);
  expect(writer.write("x".repeat(80), "needed")).toBe(true);
  expect(writer.isCrowded).toBe(true);
  expect(gone).toEqual([]);
  expect(writer.write("x", "needed")).toBe(false);
  expect(gone).toEqual(["it reads too slowly"]);
  expect(writer.write("x", "needed")).toBe(false);
  expect(stream.writableLength).toBe(110);
});

it("gives up a reader that leaves what waits unread for too long, once, and nobody who reads in time", async () => {
  const { writer, gone, clock, read } = writeTo();
  writer.write("x".repeat(20), "needed");
  clock.advance(900);
  const drained = new Promise<void>((resolve) => setImmediate(resolve));
  read();
  await drained;
  clock.advance(900);
  expect(gone).toEqual([]);
  writer.write("x".repeat(20), "needed");
  clock.advance(1000);
  expect(gone).toEqual(["it reads too slowly"]);
  clock.advance(5000);
  expect(gone).toHaveLength(1);
  expect(clock.pending()).toBe(0);
});

it("watches nothing any more when it is released", () => {
  const { writer, gone, clock } = writeTo();
  writer.write("x".repeat(20), "needed");
  writer.release();
  expect(clock.pending()).toBe(0);
  expect(writer.write("x", "needed")).toBe(false);
  expect(gone).toEqual([]);
});
