/** The bounds of a number that a product gives, and what it is when none is given. */
export interface NumberBounds {
  readonly least: number;
  readonly most?: number;
  readonly otherwise: number;
}

/** Reads a whole number that a product gave, or takes the default. Throws a `TypeError` that names `place`. */
export function readWholeNumber(
  value: number | undefined,
  place: string,
  { least, most = Number.MAX_SAFE_INTEGER, otherwise }: NumberBounds,
): number {
  if (value === undefined) return otherwise;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const upTo = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  throw new TypeError(`${place} must be a whole number from ${least}${upTo}`);
}
