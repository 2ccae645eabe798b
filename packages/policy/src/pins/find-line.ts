/**
 * The line, from 1, on which a value of a JSON text begins; `path` leads to it. For what is not
 * there, the line of the last value on the way. The text has to be JSON.
 */
export function findLine(text: string, path: readonly (string | number)[]): number {
  const open: Open[] = [];
  let best = { depth: -1, at: 0 };
  let key: string | undefined;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g)) {
    const parent = open.at(-1);
    if (token === "}" || token === "]") open.pop();
    else if (token === ",") advance(parent);
    else if (token === ":" && parent !== undefined && key !== undefined) parent.key = key;
    else if (token !== ":") {
      // A text in an object before its colon is the name of a member, and no value.
      const isName = parent !== undefined && parent.key === undefined;
      if (isName) key = readName(token);
      else if (best.depth < open.length && open.every((one, depth) => one.key === path[depth])) {
        best = { depth: open.length, at: index };
        if (open.length === path.length) break;
      }
      if (token === "{" || token === "[") open.push({ key: token === "[" ? 0 : undefined });
    }
  }
  return lineAt(text, best.at);
}

/** A list or an object that has not ended. */
interface Open {
  /** Where in it we are: an index, or the name of a member, `undefined` before it was read. */
  key: string | number | undefined;
}

/** The line, from 1, of a place in a text. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function advance(parent: Open | undefined): void {
  if (parent === undefined) return;
  parent.key = typeof parent.key === "number" ? parent.key + 1 : undefined;
}

function readName(token: string): string {
  // A text of the JSON that was read before.
  return JSON.parse(token) as string;
}
