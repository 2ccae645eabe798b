const capital = /[A-Z]/;

/**
 * The key under which a tool name or group id is looked up: A to Z as a to z, everything else as it is. Not
 * `toLowerCase()`, which also folds characters that only look like ASCII.
 */
export function foldName(name: string): string {
  // Most names have no capitals, and replacing nothing costs ten times as much as looking.
  return capital.test(name) ? name.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase()) : name;
}
