import { hintForUnknown } from "./find-meant.ts";
import { isPlainObject, kindOf, isJsonObject } from "./json.ts";

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
export function assertKnownOptions(owner: string, options: unknown, known: object): void {
  if (!isPlainObject(options)) throw new TypeError(`${owner} takes its options as an object, not ${kindOf(options)}`);
  const unknown = findUnknownField(options, known);
  if (unknown === undefined) return;
  const hint = hintForUnknown(unknown, Object.keys(known));
  throw new TypeError(`${owner} has no option ${JSON.stringify(unknown)}; ${hint}`);
}

/** The first own member of an object that is not among the known ones, if there is one. */
function findUnknownField(owner: object, known: object): string | undefined {
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

/** Members that may be given, absent or `undefined`. */
export type Given<T> = { readonly [Member in keyof T]?: T[Member] | undefined };

/**
 * `defaults` with the members that were given in their place. A member that is `undefined` counts
 * as not given, which a spread does not do: it would put `undefined` over the default. Members that
 * `defaults` lacks are taken over as they are. Neither argument changes.
 */
export function withDefaults<T extends object>(defaults: T, given: Given<T> | undefined): T {
  const known = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(known) };
}

/**
 * Gives a value back when it is what it must be, without its parts that are not; `undefined` when
 * it is not.
 */
export type Reader = (value: unknown) => unknown;

type Members = Readonly<Record<string, Reader>>;

// The members that a type names, but for the `type` by which its reader is found. A member more or
// less there does not compile here.
type Named<T> = keyof { [K in keyof T as string extends K ? never : K extends "type" ? never : K]: T[K] } & keyof T;
/** A reader for each member that is required. */
export type MustHave<T> = { readonly [K in Named<T> as object extends Pick<T, K> ? never : K]: Reader };
/** A reader for each member that may be absent. */
export type MayHave<T> = { readonly [K in Named<T> as object extends Pick<T, K> ? K : never]-?: Reader };

/** A text. */
export const readText: Reader = (value) => (typeof value === "string" ? value : undefined);
/** `1e999` is valid JSON and is read as infinite: it cannot be written again. */
export const readNumber: Reader = (value) => (Number.isFinite(value) ? value : undefined);
/** A JSON object. */
export const readObject: Reader = (value) => (isJsonObject(value) ? value : undefined);
/** A list of texts, without what is none. */
export const readTexts: Reader = listOf(readText);

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Reader {
  return (value) => (values.includes(value) ? value : undefined);
}

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** A date and time of ISO 8601 with an offset, of a day that there is. */
export const readDateTime: Reader = (value) => {
  const [, year, month, day] = (typeof value === "string" ? dateTime.exec(value) : null)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? value : undefined;
};

/**
 * An object with the members that it must have, and without optional ones that are of a wrong type.
 */
export function objectOf<T>(mustHave: MustHave<T>, mayHave: MayHave<T>): Reader {
  const needed = membersOf(mustHave);
  const optional = membersOf(mayHave);
  return (value) => {
    if (!isJsonObject(value)) return undefined;
    let mended: Record<string, unknown> | undefined;
    for (const { name, read } of needed) {
      const found = value[name];
      const kept = read(found);
      if (kept === undefined) return undefined;
      if (kept !== found) (mended ??= { ...value })[name] = kept;
    }
    for (const { name, read } of optional) {
      const found = value[name];
      if (found === undefined) continue;
      const kept = read(found);
      if (kept === found) continue;
      mended ??= { ...value };
      if (kept === undefined) delete mended[name];
      else mended[name] = kept;
    }
    return mended ?? value;
  };
}

// Not as pairs, which take a walk each to be read, with every block.
function membersOf(members: Members): readonly { readonly name: string; readonly read: Reader }[] {
  return Object.entries(members).map(([name, read]) => ({ name, read }));
}

/** An array without its entries that are not what they must be. */
export function listOf(read: Reader): Reader {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const kept = value.map((entry) => read(entry));
    return kept.every((entry, index) => entry === value[index]) ? value : kept.filter((entry) => entry !== undefined);
  };
}

// It is quoted in errors and sent to servers: a sentence, not a document.
const longestReason = 1000;

/**
 * Refuses what cannot be the reason that something ends. Throws a `TypeError`; `undefined` is no
 * reason, and all right.
 */
export function assertReason(reason: unknown): void {
  if (reason === undefined) return;
  if (typeof reason === "string" && reason.trim() !== "" && reason.length <= longestReason) return;
  throw new TypeError(`reason must be a text of 1 to ${longestReason} characters that is not blank`);
}
