import { isJsonObject } from "./json.ts";

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
/** `true` or `false`. */
export const readBoolean: Reader = (value) => (typeof value === "boolean" ? value : undefined);
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
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days ? value : undefined;
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
