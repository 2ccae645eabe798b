/**
 * The key under which a tool name or group id is looked up: A to Z as a to z, everything else as it is (AN-2). Not
 * `toLowerCase()`, which also folds characters that only look like ASCII.
 */
export function foldName(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}
