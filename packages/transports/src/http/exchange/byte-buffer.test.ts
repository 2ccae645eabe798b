import { afterEach, describe, expect, it, vi } from "vitest";
import { ByteBuffer } from "./read-body.ts";

const tooLarge = (): Error => new RangeError("too large");
const kibi = 1024;

afterEach(() => vi.restoreAllMocks());

describe("ByteBuffer", () => {
  it("joins pieces in order", () => {
    const buffer = new ByteBuffer(10, tooLarge);
    for (const text of ["ab", "", "c", "def"]) buffer.push(Buffer.from(text));
    expect(Buffer.from(buffer.take()).toString()).toBe("abcdef");
  });

  it("never writes into the pieces it was given", () => {
    const backing = Buffer.from("abcdef");
    const buffer = new ByteBuffer(10, tooLarge);
    buffer.push(backing.subarray(0, 2));
    buffer.push(Buffer.from("XY"));
    expect([backing.toString(), Buffer.from(buffer.take()).toString()]).toEqual(["abcdef", "abXY"]);
  });

  it("takes exactly the bound, and throws at one byte more", () => {
    const buffer = new ByteBuffer(4, tooLarge);
    buffer.push(Buffer.from("abcd"));
    expect(() => buffer.push(Buffer.from("e"))).toThrow("too large");
  });

  it("makes room for no more than the bound, whatever length was announced", () => {
    const buffer = new ByteBuffer(8, tooLarge, 1_000_000_000);
    buffer.push(Buffer.from("a"));
    buffer.push(Buffer.from("b"));
    expect(buffer.take().buffer.byteLength).toBe(8);
  });

  it("takes at most twice the memory of its bytes when they come one by one", () => {
    const buffer = new ByteBuffer(1_000_000, tooLarge);
    for (let n = 0; n < 50_000; n += 1) buffer.push(Uint8Array.of(n % 256));
    const bytes = buffer.take();
    expect([bytes.length, bytes[49_999]]).toEqual([50_000, 49_999 % 256]);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(100_000);
  });

  it("copies nothing twice when the length was announced", () => {
    const buffer = new ByteBuffer(8 * kibi * kibi, tooLarge, 64 * kibi);
    const copy = vi.spyOn(Uint8Array.prototype, "set");
    for (let n = 0; n < 4; n += 1) buffer.push(new Uint8Array(16 * kibi).fill(n));
    const bytes = buffer.take();
    expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([64 * kibi, 0, 3]);
    expect(copy.mock.calls.reduce((sum, [{ length }]) => sum + length, 0)).toBe(64 * kibi);
  });
});
