/**
 * Whether a path stays within a folder: it is relative and does not climb out, or it is absolute
 * and below the folder. By text alone, for both systems; links are not followed. A name without a
 * separator is looked up by the system, and is no path.
 */
export function isInside(root: string, path: string): boolean {
  // A folder that a reference names is the extension's own.
  const plain = path.replace(/^\$\{(?:EXTENSION_ROOT|extensionRoot)\}(?=[\\/]|$)/, root);
  const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(root);
  const separators = isWindows ? /[\\/]+/ : /\/+/;
  if (!isAbsolute(plain, isWindows)) return climb(plain.split(separators)) !== undefined;
  const fold = (text: string): string => (isWindows ? text.toLowerCase() : text);
  const inner = climb(fold(plain).split(separators));
  const outer = climb(fold(root).split(separators));
  return inner !== undefined && outer !== undefined && outer.every((part, index) => inner[index] === part);
}

function isAbsolute(path: string, isWindows: boolean): boolean {
  return path.startsWith("/") || (isWindows && /^(?:[A-Za-z]:|\\)/.test(path));
}

// `undefined`: out of where it begins.
function climb(parts: readonly string[]): readonly string[] | undefined {
  const way: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") way.push(part);
    else if (way.pop() === undefined) return undefined;
  }
  return way;
}
