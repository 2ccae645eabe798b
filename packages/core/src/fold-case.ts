const capital = /[A-Z]/;

/**
 * A text with A to Z as a to z and everything else as it is: the key under which names and ids are
 * looked up regardless of their case. `toLowerCase()` also folds characters that only look like
 * ASCII: of the Kelvin sign it makes a `k`.
 */
export function foldCase(text: string): string {
  // Most names have no capitals, and replacing nothing costs ten times as much as looking.
  return capital.test(text) ? text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase()) : text;
}
