/** The bounds of a number that a product gives. */
export interface NumberBounds {
  readonly least: number;
  readonly most?: number | undefined;
}

/** Reads a number above 0. Throws a `TypeError` that names `place`. */
export function readAmount(value: number, place: string): number {
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
  throw new TypeError(`${place} must be a number above 0`);
}

/** Reads a whole number above 0. Throws a `TypeError` that names `place`. */
export function readCount(value: number, place: string): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`${place} must be a whole number above 0`);
}

/** Reads a whole number that a product gave, or takes the default. Throws a `TypeError` that names `place`, such as `"cache.ttlMs"`. */
export function readWholeNumber(
  value: number | undefined,
  place: string,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: NumberBounds & { readonly otherwise: number },
): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const upTo = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  throw new TypeError(`${place} must be a whole number from ${least}${upTo}, not ${String(value)}`);
}
