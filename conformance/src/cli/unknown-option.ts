import { parseArgs } from "node:util";

/**
 * What is wrong with the first option that is none of these, in one line; `undefined` when there is
 * no such option.
 */
export function unknownOption(argv: readonly string[], known: NonNullable<ParseConfig["options"]>): string | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(known, token.name));
  if (unknown?.kind !== "option") return undefined;
  const near = nearest(unknown.name, Object.keys(known)).map((name) => `--${name}`);
  return `there is no option ${unknown.rawName}${near.length === 0 ? "" : `; like it is ${near.join(" or ")}`}`;
}

type ParseConfig = NonNullable<Parameters<typeof parseArgs>[0]>;

/** At most three, those with fewest slips first; none that is more than a third another word. */
function nearest(word: string, names: readonly string[]): readonly string[] {
  const most = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  return names
    .map((name) => ({ name, apart: name.startsWith(word) || word.startsWith(name) ? 0 : slips(word, name) }))
    .filter(({ apart }) => apart <= most)
    .toSorted((one, other) => one.apart - other.apart)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** How many letters were added, left out, replaced or swapped with the next one. */
function slips(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, n) => n);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
