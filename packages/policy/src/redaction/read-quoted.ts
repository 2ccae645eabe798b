/** A value in a text, without the marks around it. */
export interface Quoted {
  readonly start: number;
  readonly end: number;
  /** Where the text goes on behind it. */
  readonly next: number;
  readonly isNumber?: boolean;
}

const mostBackslashes = 255;

/** Whether a UTF-16 unit is a quotation mark. */
export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

/**
 * Reads a text in quotation marks, with as many backslashes before them as JSON in JSON has;
 * `undefined` when there is none here. One without an end goes to the end of the text.
 */
export function readQuoted(text: string, start: number): Quoted | undefined {
  let open = start;
  while (text[open] === "\\" && open - start < mostBackslashes) open += 1;
  if (!isQuote(text.charCodeAt(open))) return undefined;
  const depth = open - start;
  const mark = text.charAt(open);
  for (let end = text.indexOf(mark, open + 1); end !== -1; end = text.indexOf(mark, end + 1)) {
    let before = 0;
    while (text[end - 1 - before] === "\\" && end - before > open + 1) before += 1;
    if (depth === 0 ? before % 2 === 0 : before <= depth) {
      return { start: open + 1, end: depth === 0 ? end : end - before, next: end + 1 };
    }
  }
  return { start: open + 1, end: text.length, next: text.length };
}

/** How far an object or a list is read. */
export interface ContainerPart {
  readonly start: number;
  /** How many objects and lists are open where it starts. */
  readonly openBefore: number;
  /** It may be left off from here on. */
  readonly until: number;
}

/**
 * Reads the texts and numbers of an object or a list of JSON, names left out. `open` is how many
 * are open at `next`. One without an end goes to the end of the text.
 */
export function readContainer(
  text: string,
  { start, openBefore, until }: ContainerPart,
): { readonly values: readonly Quoted[]; readonly next: number; readonly open: number } {
  const values: Quoted[] = [];
  let depth = openBefore;
  const marks = /[[{\]}]|\\+"?|"|-?\d[\d.eE+-]*/g;
  marks.lastIndex = start;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const [mark] = match;
    if (mark === "[" || mark === "{") depth += 1;
    else if (mark === "]" || mark === "}") depth -= 1;
    else if (mark.endsWith('"')) {
      const quoted = readQuoted(text, match.index);
      if (quoted === undefined) continue;
      marks.lastIndex = quoted.next;
      if (!isName(text, quoted.next)) values.push(quoted);
    } else if (!mark.startsWith("\\"))
      values.push({ start: match.index, end: marks.lastIndex, next: marks.lastIndex, isNumber: true });
    if (depth === 0 || marks.lastIndex >= until) return { values, next: marks.lastIndex, open: depth };
  }
  return { values, next: text.length, open: 0 };
}

function isName(text: string, at: number): boolean {
  const colon = /\s{0,64}:/y;
  colon.lastIndex = at;
  return colon.test(text);
}
