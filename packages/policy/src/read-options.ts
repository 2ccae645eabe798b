/** Reads a number above 0. Throws a `TypeError` that names `place`. */
export function readPositiveNumber(value: number, place: string): number {
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
  throw new TypeError(`${place} must be a number above 0`);
}

/** Reads a list of texts. Throws a `TypeError` that names `place`. */
export function readTexts(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new TypeError(`${place} must be a list of texts`);
}

/** Throws a `TypeError` that names the first option that is given and no function. */
export function assertFunctions(owner: string, options: Readonly<Record<string, unknown>>): void {
  for (const [name, option] of Object.entries(options)) {
    if (option !== undefined && typeof option !== "function") throw new TypeError(`${owner}${name} must be a function`);
  }
}
