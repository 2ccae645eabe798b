/** The bounds of a number that a product gives. */
export interface NumberBounds {
  readonly least: number;
  readonly most?: number | undefined;
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
