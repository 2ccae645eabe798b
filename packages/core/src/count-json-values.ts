const quote = 0x22;
const backslash = 0x5c;

/**
 * The number of values in a JSON text, found without parsing it, or `undefined` when there are at
 * most `most`. An empty object or array with blanks in it counts twice. The number means nothing
 * for a text that is not valid JSON, and parsing it makes no more values than that.
 */
export function jsonValuesBeyond(text: string, most: number): number | undefined {
  // A value takes a character, and a comma stands between two.
  if (text.length < 2 * most) return undefined;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index);
        break;
      case 0x2c:
        values += 1;
        break;
      case 0x5b:
      case 0x7b: {
        const next = text.charCodeAt(index + 1);
        if (next !== 0x5d && next !== 0x7d) values += 1;
        break;
      }
    }
  }
  return values > most ? values : undefined;
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
