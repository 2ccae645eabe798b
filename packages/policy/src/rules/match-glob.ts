/** Tells whether a text is one that a glob stands for. */
export type GlobMatch = (text: string) => boolean;

/**
 * Reads a glob: `*` stands for any characters, none included, and every other character for itself,
 * byte for byte. Takes time linear in the text for each `*`, whatever the text, because texts come
 * from servers.
 */
export function matchGlob(glob: string): GlobMatch {
  if (!glob.includes("*")) return (text) => text === glob;
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop() ?? "";
  const middle = rest.filter((part) => part !== "");
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/** Tells whether there is a text that both globs stand for. */
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
