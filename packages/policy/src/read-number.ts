/** Reads a number above 0. Throws a `TypeError` that names `place`. */
export function readPositiveNumber(value: number, place: string): number {
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
  throw new TypeError(`${place} must be a number above 0`);
}

/** Reads a whole number above 0. Throws a `TypeError` that names `place`. */
export function readPositiveInteger(value: number, place: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`${place} must be a whole number above 0`);
}
