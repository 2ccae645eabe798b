const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Counts the values of a JSON text that comes in pieces, without parsing it. The pieces may be
 * UTF-8 bytes read as Latin-1. An empty object or array with blanks in it counts twice. The number
 * means nothing for a text that is not valid JSON, and parsing it makes no more values than that.
 */
export class JsonValueCounter {
  values = 1;
  #isInString = false;
  /** The last character is a backslash that escapes the next one. */
  #isEscaping = false;
  /** The last character opened an object or array. */
  #isOpened = false;

  add(text: string): void {
    let { values } = this;
    let isOpened = this.#isOpened;
    for (let index = this.#isInString ? this.#skipString(text, 0) : 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (isOpened && code !== 0x5d && code !== 0x7d) values += 1;
      isOpened = code === 0x5b || code === 0x7b;
      if (code === comma) values += 1;
      else if (code === quote) index = this.#skipString(text, index + 1) - 1;
    }
    this.values = values;
    this.#isOpened = isOpened;
  }

  /** Returns the index after the end of the string, or after the last character. */
  #skipString(text: string, start: number): number {
    for (let from = start; ;) {
      const end = text.indexOf('"', from);
      const stop = end === -1 ? text.length : end;
      let escapes = 0;
      while (stop - 1 - escapes >= start && text.charCodeAt(stop - 1 - escapes) === backslash) escapes += 1;
      const isEscaping = (escapes % 2 === 1) !== (this.#isEscaping && escapes === stop - start);
      this.#isInString = end === -1 || isEscaping;
      this.#isEscaping = end === -1 && isEscaping;
      if (end === -1 || !isEscaping) return end === -1 ? stop : end + 1;
      from = end + 1;
    }
  }
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
