/** Whether a version that a server claims is one that is wanted. */
export type VersionMatch = (version: string | undefined) => boolean;

const partial = /^(0|[1-9]\d{0,14})(?:\.(0|[1-9]\d{0,14}))?(?:\.(0|[1-9]\d{0,14}))?$/;
const exact = /^[0-9A-Za-z][0-9A-Za-z.+_-]*$/;

type Numbers = readonly [major: number, minor: number, patch: number];

/**
 * Reads a range of versions: `*` any, `1.*` and `1.2.*` those that begin so, `^1.2.3` from this one
 * up to the next that may break (a change of the first number that is not 0), `~1.2.3` from this
 * one up to the next minor one; `^` and `~` may leave numbers out. Anything else is that one
 * version, byte for byte. A version that is not three numbers, such as a prerelease, is in no range
 * but `*` and its own.
 *
 * Throws a `TypeError` that names `place` for a text that is no range.
 */
export function readVersionRange(range: unknown, place: string): VersionMatch {
  if (typeof range !== "string") throw new TypeError(`${place} must be a text`);
  if (range === "*") return () => true;
  const bounds = boundsOf(range);
  if (bounds !== undefined) {
    return (version) => {
      const numbers = version === undefined ? undefined : readNumbers(version);
      return numbers !== undefined && compare(numbers, bounds.from) >= 0 && compare(numbers, bounds.below) < 0;
    };
  }
  if (exact.test(range)) return (version) => version === range;
  throw new TypeError(
    `${place}: ${JSON.stringify(range)} is no range of versions; try "1.2.3", "^1.2.3", "~1.2", "1.*" or "*"`,
  );
}

interface Bounds {
  readonly from: Numbers;
  readonly below: Numbers;
}

function boundsOf(range: string): Bounds | undefined {
  const kind = range.endsWith(".*") ? "*" : range.slice(0, 1);
  if (kind !== "*" && kind !== "^" && kind !== "~") return undefined;
  const found = partial.exec(kind === "*" ? range.slice(0, -2) : range.slice(1));
  // Three numbers and a star would be four.
  if (found === null || (kind === "*" && found[3] !== undefined)) return undefined;
  const given = found
    .slice(1)
    .filter((digits) => digits !== undefined)
    .map(Number);
  const [major = 0, minor = 0, patch = 0] = given;
  const from: Numbers = [major, minor, patch];
  if (given.length === 1 || (kind === "^" && major > 0)) return { from, below: [major + 1, 0, 0] };
  if (kind !== "^" || minor > 0 || given.length === 2) return { from, below: [major, minor + 1, 0] };
  return { from, below: [0, 0, patch + 1] };
}

function readNumbers(version: string): Numbers | undefined {
  const found = partial.exec(version);
  if (found?.[3] === undefined) return undefined;
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
