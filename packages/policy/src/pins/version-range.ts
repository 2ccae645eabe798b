/** Whether a version that a server claims is one that is wanted. */
export type VersionMatch = (version: string | undefined) => boolean;

const numbers = /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){0,2}$/;
const exact = /^[0-9A-Za-z][0-9A-Za-z.+_-]*$/;

/**
 * Reads a range of versions: `*` any, `1.*` and `1.2.*` those that begin so, `^1.2.3` from this one
 * up to the next that may break (a change of the first number that is not 0); `^` may leave numbers
 * out. Anything else is that one version, byte for byte. A version that is not three numbers, such
 * as a prerelease, is in no range but `*` and its own.
 *
 * Throws a `TypeError` that names `place` for a text that is no range.
 */
export function readVersionRange(range: unknown, place: string): VersionMatch {
  if (typeof range !== "string") throw new TypeError(`${place} must be a text`);
  if (range === "*") return () => true;
  const begin = range.endsWith(".*") ? readNumbers(range.slice(0, -2)) : undefined;
  if (begin !== undefined && begin.length < 3) return (version) => begins(readVersion(version), begin);
  const from = range.startsWith("^") ? readNumbers(range.slice(1)) : undefined;
  if (from !== undefined) {
    const first = from.findIndex((number) => number > 0);
    const fixed = from.slice(0, first < 0 ? from.length : first + 1);
    return (version) => {
      const claimed = readVersion(version);
      return begins(claimed, fixed) && isNoLess(claimed ?? [], from);
    };
  }
  if (exact.test(range)) return (version) => version === range;
  throw new TypeError(
    `${place}: ${JSON.stringify(range)} is no range of versions; try "1.2.3", "^1.2.3", "1.*" or "*"`,
  );
}

function readNumbers(text: string): readonly number[] | undefined {
  return numbers.test(text) ? text.split(".").map(Number) : undefined;
}

function readVersion(version: string | undefined): readonly number[] | undefined {
  const read = version === undefined ? undefined : readNumbers(version);
  return read?.length === 3 ? read : undefined;
}

function begins(version: readonly number[] | undefined, begin: readonly number[]): boolean {
  return version !== undefined && begin.every((number, at) => version[at] === number);
}

function isNoLess(version: readonly number[], from: readonly number[]): boolean {
  const at = version.findIndex((number, place) => number !== (from[place] ?? 0));
  return at < 0 || (version[at] ?? 0) > (from[at] ?? 0);
}
