/** The bounds of a whole number, and what stands for one that is not given. */
export interface CountBounds {
  readonly least?: number | undefined;
  readonly most?: number | undefined;
  readonly otherwise?: number | undefined;
}

/**
 * Reads a whole number that a product gave. Throws a `TypeError` that names `place`, also where
 * there is none and nothing stands for it.
 */
export function readCount(value: number | undefined, place: string, bounds: CountBounds = {}): number {
  const { least = 1, most = Number.MAX_SAFE_INTEGER, otherwise } = bounds;
  const count = value ?? otherwise;
  if (count !== undefined && Number.isSafeInteger(count) && count >= least && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new TypeError(`${place} must be a whole number ${range}, not ${String(value)}`);
}
