import { matchGlob } from "./match-glob.ts";

/** Whether there is a text that both globs stand for. */
export function globsMeet(a: string, b: string): boolean {
  // Row by row, from the ends of both: whether what is left of `a` from here meets what is left of
  // `b`.
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j -= 1) {
      if (a[i] === "*") row[j] = below[j] === true || row[j + 1] === true;
      else if (b[j] === "*") row[j] = row[j + 1] === true || below[j] === true;
      else if (i === a.length || j === b.length) row[j] = i === a.length && j === b.length;
      else row[j] = a[i] === b[j] && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

/** Whether `wide` stands for every text that `narrow` stands for. */
export function globCovers(wide: string, narrow: string): boolean {
  // Where `narrow` takes any text, only a `*` of `wide` takes a character that `wide` does not
  // have.
  return matchGlob(wide)(narrow.replaceAll("*", () => strangerTo(wide)));
}

// From the private use area, where no name of a person's making has one.
function strangerTo(text: string): string {
  let code = 0xe000;
  while (text.includes(String.fromCharCode(code))) code += 1;
  return String.fromCharCode(code);
}
