import { hintForUnknown } from "./find-meant.ts";
import { isPlainObject, kindOf } from "./plain-object.ts";

/**
 * One `true` for each member of a type: a record, so that the compiler asks for a member that was
 * added to the type.
 */
export type Fields<T> = Readonly<Record<keyof T, true>>;

/**
 * Refuses options that nothing reads: with one letter wrong in its name, an option would leave its
 * default in force, and nobody would know. `owner` says whose options they are:
 * `"createProvider()"`, `"backoff"`.
 *
 * Throws a `TypeError` that names the first unknown one and the one that may be meant, or lists
 * those known, or says what `options` is instead of a plain object: of a `Map` or an instance of a
 * class, nothing would be read.
 */
export function assertKnownOptions(owner: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (!isPlainObject(options)) throw new TypeError(`${owner} takes its options as an object, not ${kindOf(options)}`);
  const unknown = findUnknownField(options, known);
  if (unknown === undefined) return;
  const hint = hintForUnknown(unknown, Object.keys(known));
  throw new TypeError(`${owner} has no option ${JSON.stringify(unknown)}; ${hint}`);
}

/** The first own member of an object that is not among the known ones, if there is one. */
export function findUnknownField(owner: object, known: Readonly<Record<string, true>>): string | undefined {
  return Object.keys(owner).find((field) => !Object.hasOwn(known, field));
}

/** The bounds of a number that a product gives, and what it is when none is given. */
interface NumberBounds {
  readonly least: number;
  readonly most?: number;
  readonly otherwise: number;
}

/**
 * Reads a whole number that a product gave, or takes the default. Throws a `TypeError` that names
 * `place`.
 */
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
