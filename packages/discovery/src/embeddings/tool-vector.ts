import { HostsideError } from "@hostside/core";
import { isPlainObject } from "@hostside/core/implement";

/**
 * The direction of a vector in a byte for each dimension: a quarter of the memory, and the ranking
 * is nearly the same.
 */
export interface ToolVector {
  readonly bytes: Int8Array;
  /** 1 / length of {@linkcode bytes}. */
  readonly scale: number;
}

// No model that is known has a fourth of that.
const maxDimensions = 16_384;

/**
 * The direction of a vector, of length 1. Throws `invalid_output` for what is no vector, or has no
 * direction.
 */
export function toDirection(vector: ArrayLike<number>): Float32Array {
  const { length } = vector;
  if (!(Number.isSafeInteger(length) && length > 0 && length <= maxDimensions)) throw noVector("has no usable length");
  let most = 0;
  for (let at = 0; at < length; at += 1) {
    const value: unknown = vector[at];
    if (typeof value !== "number" || !Number.isFinite(value)) throw noVector("holds what is no number");
    most = Math.max(most, Math.abs(value));
  }
  if (most === 0) throw noVector("has no direction");
  const direction = new Float32Array(length);
  // Divided by the largest first: the square of a large number is none.
  for (let at = 0; at < length; at += 1) direction[at] = (vector[at] ?? 0) / most;
  const norm = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
  return direction.map((value) => value / norm);
}

/** Keeps a direction in a byte for each dimension. */
export function quantize(direction: Float32Array): ToolVector {
  const most = direction.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return withScale(Int8Array.from(direction, (value) => Math.round((value / most) * 127)));
}

/** How near two directions are, from -1 to 1. Both have the same length. */
export function likeness(direction: Float32Array, { bytes, scale }: ToolVector): number {
  // Four sums that do not wait for each other take three quarters of the time of one.
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = bytes.length - (bytes.length % 4);
  for (let at = 0; at < whole; at += 4) {
    a += (direction[at] as number) * (bytes[at] as number);
    b += (direction[at + 1] as number) * (bytes[at + 1] as number);
    c += (direction[at + 2] as number) * (bytes[at + 2] as number);
    d += (direction[at + 3] as number) * (bytes[at + 3] as number);
  }
  for (let at = whole; at < bytes.length; at += 1) a += (direction[at] as number) * (bytes[at] as number);
  return (a + b + c + d) * scale;
}

/** A vector as a store keeps it. */
export function writeVector({ bytes }: ToolVector): { readonly version: 1; readonly bytes: string } {
  return { version: 1, bytes: btoa(String.fromCharCode(...new Uint8Array(bytes.buffer))) };
}

/**
 * What {@linkcode writeVector} wrote; `undefined` for anything else, and for a vector of another
 * length.
 */
export function readVector(stored: unknown, dimensions: number | undefined): ToolVector | undefined {
  if (!isPlainObject(stored) || stored["version"] !== 1) return undefined;
  const { bytes: text } = stored;
  if (typeof text !== "string" || text.length > maxDimensions * 2 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return undefined;
  }
  if (text.length % 4 !== 0) return undefined;
  const bytes = Int8Array.from(atob(text), (char) => char.charCodeAt(0));
  if (dimensions !== undefined && bytes.length !== dimensions) return undefined;
  const vector = withScale(bytes);
  return Number.isFinite(vector.scale) ? vector : undefined;
}

function withScale(bytes: Int8Array): ToolVector {
  let sum = 0;
  for (const value of bytes) sum += value * value;
  return { bytes, scale: 1 / Math.sqrt(sum) };
}

function noVector(why: string): HostsideError {
  return new HostsideError(`the embedding model answered a vector that ${why}`, { code: "invalid_output" });
}
