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

/** Reads one of some words, if it is there. Throws a `TypeError` that names `place`. */
export function readOneOf<Word extends string>(
  value: unknown,
  words: readonly Word[],
  place: string,
): Word | undefined {
  const known = words.find((word) => word === value);
  if (value === undefined || known !== undefined) return known;
  throw new TypeError(`${place}: ${JSON.stringify(value)} is none of ${words.join(", ")}`);
}
