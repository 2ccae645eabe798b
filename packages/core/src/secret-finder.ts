import { findTraits, traitsOf } from "./find-secrets.ts";

/** Where one of the secrets that are known stands in a text, in any spelling. */
export interface FoundSecret {
  readonly start: number;
  /** The first UTF-16 unit behind it. */
  readonly end: number;
  /** As it was given, however the text spells it. */
  readonly secret: string;
}

/** Looks for secrets in a text; what it finds is in the order of the text and does not overlap. */
export type SecretFinder = (text: string) => readonly FoundSecret[];

/**
 * Looks for secrets in every spelling that a redactor masks, and says which one is where, for those
 * who put something else in its place than `[redacted]`. Where two overlap, the longer one counts.
 * Secrets of less than six UTF-16 units are not looked for. Linear in the length of the text, times
 * the number of secrets.
 */
export function createSecretFinder(secrets: readonly string[]): SecretFinder {
  const sorted = [...new Set(secrets)].sort((a, b) => a.length - b.length);
  const traits = sorted.flatMap((secret, index) => traitsOf(secret, index + 1));
  return (text) => {
    const owners = findTraits(text, traits);
    return owners === undefined ? [] : stretchesOf(owners, sorted);
  };
}

function stretchesOf(owners: Uint32Array, secrets: readonly string[]): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  for (let start = 0; start < owners.length;) {
    const owner = owners[start] ?? 0;
    let end = start + 1;
    while (end < owners.length && owners[end] === owner) end += 1;
    const secret = secrets[owner - 1];
    if (secret !== undefined) found.push({ start, end, secret });
    start = end;
  }
  return found;
}
