import { describe, expect, it } from "vitest";
import { createByteBuffer } from "./byte-buffer.ts";

const tooLarge = (): Error => new RangeError("too large");

describe("createByteBuffer()", () => {
  it("joins pieces in order, and starts anew after take()", () => {
    const buffer = createByteBuffer(10, tooLarge);
    for (const text of ["ab", "", "c", "def"]) buffer.push(Buffer.from(text));
    expect(Buffer.from(buffer.take()).toString()).toBe("abcdef");
    buffer.push(Buffer.from("g"));
    expect([buffer.length, Buffer.from(buffer.take()).toString()]).toEqual([1, "g"]);
  });

  it("never writes into the pieces it was given", () => {
    const backing = Buffer.from("abcdef");
    const buffer = createByteBuffer(10, tooLarge);
    buffer.push(backing.subarray(0, 2));
    buffer.push(Buffer.from("XY"));
    expect([backing.toString(), Buffer.from(buffer.take()).toString()]).toEqual(["abcdef", "abXY"]);
  });

  it("takes exactly the bound, and throws at one byte more", () => {
    const buffer = createByteBuffer(4, tooLarge);
    buffer.push(Buffer.from("abcd"));
    expect(() => buffer.push(Buffer.from("e"))).toThrow("too large");
  });

  it("makes room for no more than the bound, whatever length was announced", () => {
    const buffer = createByteBuffer(8, tooLarge, 1_000_000_000);
    buffer.push(Buffer.from("a"));
    buffer.push(Buffer.from("b"));
    expect(buffer.take().buffer.byteLength).toBe(8);
  });

  it("takes at most twice the memory of its bytes when they come one by one", () => {
    const buffer = createByteBuffer(1_000_000, tooLarge);
    for (let n = 0; n < 50_000; n += 1) buffer.push(Uint8Array.of(n % 256));
    const bytes = buffer.take();
    expect([bytes.length, bytes[49_999]]).toEqual([50_000, 49_999 % 256]);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual(100_000);
  });
});
