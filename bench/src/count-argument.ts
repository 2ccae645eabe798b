/**
 * The whole number above 0 that this program was given as its argument at `index`. Ends the process
 * with 2 for anything else.
 */
export function countArgument(index: number, fallback: number): number {
  const given = process.argv[2 + index] ?? String(fallback);
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  process.stderr.write(
    `argument ${index + 1} is a whole number above 0, by default ${fallback}, and not ${JSON.stringify(given)}\n`,
  );
  return process.exit(2);
}
