const quote = 0x22;
const backslash = 0x5c;

/**
 * Counts the values of a JSON text that comes in pieces, without parsing it. The pieces may be
 * UTF-8 bytes read as Latin-1. An empty object or array with blanks in it counts twice. The number
 * means nothing for a text that is not valid JSON, and parsing it makes no more values than that.
 */
export class JsonValueCounter {
  values = 1;
  /** Stands before the next piece: an opening bracket, or the start of a string without an end. */
  #carried = "";

  add(piece: string): void {
    const text = this.#carried + piece;
    const last = text.length - 1;
    let carried = "";
    let { values } = this;
    for (let index = 0; index <= last; index += 1) {
      switch (text.charCodeAt(index)) {
        case quote: {
          const end = endOfString(text, index);
          if (end > last) carried = isEscaping(text, index) ? '"\\' : '"';
          index = end;
          break;
        }
        case 0x2c:
          values += 1;
          break;
        case 0x5b:
        case 0x7b: {
          const next = text.charCodeAt(index + 1);
          if (index === last) carried = text.slice(index);
          else if (next !== 0x5d && next !== 0x7d) values += 1;
          break;
        }
      }
    }
    this.values = values;
    this.#carried = carried;
  }
}

/** True if a string that begins at `start` goes on after an escape at the end of the text. */
function isEscaping(text: string, start: number): boolean {
  let end = text.length;
  while (end - 1 > start && text.charCodeAt(end - 1) === backslash) end -= 1;
  return (text.length - end) % 2 === 1;
}

/**
 * Returns the number of values in a JSON text, as {@linkcode JsonValueCounter} counts them, or
 * `undefined` when there are at most `most`.
 */
export function jsonValuesBeyond(text: string, most: number): number | undefined {
  // A value takes a character, and a comma stands between two.
  if (text.length < 2 * most) return undefined;
  const counter = new JsonValueCounter();
  counter.add(text);
  return counter.values > most ? counter.values : undefined;
}

/**
 * Finds the end of the string that begins at `start`; the end of the text for one without an end.
 */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
